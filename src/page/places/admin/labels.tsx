import { useSignal } from '@preact/signals';
import type { Location } from '../../../domain/plant/plant.ts';
import { pathOf } from '../../app/route.ts';
import { SearchField } from '../../app/search-field.tsx';
import { placedMachines } from '../../plant/machines.ts';
import { QrCode } from '../../show/qr-code.tsx';
import { words } from '../../words/words.ts';
import { useRecords } from './use-records.ts';

interface Label {
  readonly id: string;
  readonly name: string;
  /**
   * The content of the QR code. For a machine it is the address of its place, which any telephone opens; for a location
   * it is the location's code, because scanners of other programs read it too.
   */
  readonly code: string;
}

/** QR labels for machines and locations, to be printed. */
export function Labels() {
  const { records: locations } = useRecords<Location>('locations');
  const sought = useSignal('');
  const { admin: said } = words.value;
  const labels = [
    ...placedMachines.value.map(({ name, live: { machineId } }) => ({
      id: machineId,
      name,
      code: location.origin + pathOf({ place: 'machine', machineId }),
    })),
    ...(locations ?? []).map(({ code, name }) => ({ id: code, name, code })),
  ];
  return (
    <>
      <div class="row no-print">
        <SearchField
          label={said.findLabel}
          value={sought.value}
          onSearch={(text) => {
            sought.value = text;
          }}
        />
        <button type="button" class="btn btn-main" onClick={() => print()}>
          {said.print}
        </button>
      </div>
      <section class="labels" aria-label={said.tabs.labels}>
        {labels
          .filter((label) => matches(label, sought.value))
          .map((label) => (
            <LabelCard key={label.code} label={label} />
          ))}
      </section>
    </>
  );
}

function LabelCard({ label: { id, name, code } }: { readonly label: Label }) {
  return (
    <div class="label-card">
      <QrCode text={code} label={code} />
      <p>
        <b>{name}</b>
        <br />
        {id}
      </p>
    </div>
  );
}

function matches({ id, name }: Label, sought: string): boolean {
  return `${id} ${name}`.toLowerCase().includes(sought.trim().toLowerCase());
}
