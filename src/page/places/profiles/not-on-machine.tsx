import { useSignal } from '@preact/signals';
import type { DeliveryCheck, DeliveryExplanation } from '../../../domain/profile/delivery-checks.ts';
import { Sheet } from '../../app/sheet.tsx';
import { useResource } from '../../app/use-resource.ts';
import { placedMachines } from '../../plant/machines.ts';
import { type CatalogView, type Profile, readDelivery } from '../../plant/profiles.ts';
import { timeOrDate } from '../../show/format.ts';
import { Icon } from '../../show/icon.tsx';
import { sizeText, sizeUnit } from '../../show/profile-size.ts';
import { words } from '../../words/words.ts';

interface NotOnMachineProps {
  readonly profile: Profile;
  readonly onMove: (catalogId: number) => void;
  readonly onClose: () => void;
}

/** Explains why a profile is not on a machine, by the interface's five checks, the most likely cause first. */
export function NotOnMachine({ profile, onMove, onClose }: NotOnMachineProps) {
  const machineId = useSignal<string | null>(null);
  const texts = words.value.delivery;
  return (
    <Sheet title={texts.title(profile.profileName)} onClose={onClose}>
      <div class="stack">
        <p class="dim">{texts.which}</p>
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
  const loaded = useResource(`${machineId} ${profileId} ${revision}`, () => readDelivery(machineId, profileId));
  if (loaded.value === null) return null;
  const { explanation, catalogs } = loaded.value;
  const failing = explanation.checks.find(({ holds }) => !holds);
  const texts = words.value.delivery;
  return (
    <>
      <p class="bold" role="status">
        {failing === undefined ? texts.allHold : texts.fails(texts.checks[failing.check])}
      </p>
      <ol class="ladder">
        {explanation.checks.map(({ check, holds }) => (
          <li class={holds ? 'rung' : 'rung rung-also'} key={check}>
            <Icon name={holds ? 'check-ring' : 'held-line'} />
            <span class="q">{texts.checks[check]}</span>
            <span class="a">{foundOf(check, explanation, catalogs)}</span>
          </li>
        ))}
      </ol>
      {failing?.check === 'catalog' &&
        catalogs
          .filter(({ catalogId }) => explanation.catalogs.includes(catalogId))
          .map(({ catalogId, name }) => (
            <button type="button" class="btn btn-main btn-wide" key={catalogId} onClick={() => onMove(catalogId)}>
              {texts.move(name)}
            </button>
          ))}
    </>
  );
}

/** The finding of a check on this machine. */
function foundOf(check: DeliveryCheck['check'], found: DeliveryExplanation, catalogs: readonly CatalogView[]): string {
  const { delivery: texts } = words.value;
  const nameOf = (id: number) => catalogs.find(({ catalogId }) => catalogId === id)?.name ?? String(id);
  switch (check) {
    case 'catalog':
      return texts.catalogs(nameOf(found.owningCatalogId), found.catalogs.map(nameOf).join(', '));
    case 'fetched':
      if (!found.hasSerialNumber) return texts.noSerialNumber;
      return found.lastFetchAt === null ? texts.neverFetched : texts.fetchedAt(timeOrDate(found.lastFetchAt));
    case 'standing':
      return texts.standings[found.standing];
    case 'archived':
      return found.archived ? texts.isArchived : texts.isNotArchived;
    case 'stored':
      return `${nameOf(found.owningCatalogId)}, ${sizeText(found.blankWidth)} ${sizeUnit()}`;
  }
}
