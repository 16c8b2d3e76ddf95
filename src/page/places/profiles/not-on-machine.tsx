import { useSignal } from '@preact/signals';
import type { DeliveryCheck, DeliveryExplanation } from '../../../domain/profile/delivery-checks.ts';
import { Sheet } from '../../app/sheet.tsx';
import { useLoaded } from '../../app/use-loaded.ts';
import { placedMachines } from '../../plant/machines.ts';
import { type CatalogView, type Profile, readDelivery } from '../../plant/profiles.ts';
import { number, timeOrDate } from '../../show/format.ts';
import { Icon } from '../../show/icon.tsx';
import { words } from '../../words/words.ts';

interface NotOnMachineProps {
  readonly profile: Profile;
  readonly onMove: (catalogId: number) => void;
  readonly onClose: () => void;
}

/** Explains why a profile is not on a machine, by the interface's five checks, the most likely cause first. */
export function NotOnMachine({ profile, onMove, onClose }: NotOnMachineProps) {
  const machineId = useSignal<string | null>(null);
  const said = words.value.delivery;
  return (
    <Sheet title={said.title(profile.profileName)} onClose={onClose}>
      <div class="stack">
        <p class="dim">{said.which}</p>
        <div class="tabs">
          {placedMachines.value.map(({ name, live: { machineId: id } }) => (
            <button
              type="button"
              class="tab"
              key={id}
              aria-pressed={machineId.value === id}
              onClick={() => {
                machineId.value = id;
              }}
            >
              {name}
            </button>
          ))}
        </div>
        {machineId.value !== null && (
          <Checks key={machineId.value} profile={profile} machineId={machineId.value} onMove={onMove} />
        )}
      </div>
    </Sheet>
  );
}

interface ChecksProps {
  readonly profile: Profile;
  readonly machineId: string;
  readonly onMove: (catalogId: number) => void;
}

function Checks({ profile: { profileId, revision }, machineId, onMove }: ChecksProps) {
  const loaded = useLoaded(`${machineId} ${profileId} ${revision}`, () => readDelivery(machineId, profileId));
  if (loaded.value === null) return null;
  const { explanation, catalogs } = loaded.value;
  const failing = explanation.checks.find(({ holds }) => !holds);
  const said = words.value.delivery;
  return (
    <>
      <p class="bold" role="status">
        {failing === undefined ? said.allHold : said.fails(said.checks[failing.check])}
      </p>
      <ol class="ladder">
        {explanation.checks.map(({ check, holds }) => (
          <li class={holds ? 'rung' : 'rung rung-also'} key={check}>
            <Icon name={holds ? 'check-ring' : 'held-line'} />
            <span class="q">{said.checks[check]}</span>
            <span class="a">{foundOf(check, explanation, catalogs)}</span>
          </li>
        ))}
      </ol>
      {failing?.check === 'catalog' &&
        catalogs
          .filter(({ catalogId }) => explanation.catalogs.includes(catalogId))
          .map(({ catalogId, name }) => (
            <button type="button" class="btn btn-main btn-wide" key={catalogId} onClick={() => onMove(catalogId)}>
              {said.move(name)}
            </button>
          ))}
    </>
  );
}

/** The finding of a check on this machine. */
function foundOf(check: DeliveryCheck['check'], found: DeliveryExplanation, catalogs: readonly CatalogView[]): string {
  const { delivery: said, units } = words.value;
  const nameOf = (id: number) => catalogs.find(({ catalogId }) => catalogId === id)?.name ?? String(id);
  switch (check) {
    case 'catalog':
      return said.catalogs(nameOf(found.owningCatalogId), found.catalogs.map(nameOf).join(', '));
    case 'fetched':
      if (!found.hasSerialNumber) return said.noSerialNumber;
      return found.lastFetchAt === null ? said.neverFetched : said.fetchedAt(timeOrDate(found.lastFetchAt));
    case 'standing':
      return said.standings[found.standing];
    case 'archived':
      return found.archived ? said.isArchived : said.isNotArchived;
    case 'stored':
      return `${nameOf(found.owningCatalogId)}, ${number(found.blankWidth, 4)} ${units.inch}`;
  }
}
