import { type Signal, useSignal } from '@preact/signals';
import type { RecentPartView } from '../../../flows/local-api/local-api-ports.ts';
import { call } from '../../api/call.ts';
import { missingSinceMs } from '../../api/live.ts';
import { Frame } from '../../app/frame.tsx';
import { MoreButton } from '../../app/more-button.tsx';
import { goUnlessElsewhere } from '../../app/route.ts';
import { SearchField } from '../../app/search-field.tsx';
import { Sheet } from '../../app/sheet.tsx';
import { isDone } from '../../app/tell-outcome.ts';
import { showDone } from '../../app/toast.ts';
import { useResource } from '../../app/use-resource.ts';
import { loadMachines, machineOf } from '../../plant/machines.ts';
import { type Part, parts } from '../../plant/plant.ts';
import { profileNamed } from '../../plant/profiles.ts';
import type { Machine } from '../../plant/shown-state.ts';
import { lookUp, openRecord } from '../../scan/scanned.ts';
import { useScan } from '../../scan/use-scan.ts';
import { Drawing } from '../../show/drawing.tsx';
import { number, timeOrDate } from '../../show/format.ts';
import { Icon } from '../../show/icon.tsx';
import { ScanPrompt } from '../../show/scan-prompt.tsx';
import { words } from '../../words/words.ts';

const SHOWN = 60;

/** Selects the next part of a machine: by a scan, from the recent parts, or by a search. */
export function PartPlace({ machineId }: { readonly machineId: string }) {
  const sought = useSignal('');
  const most = useSignal(SHOWN);
  const asked = useSignal<Part | null>(null);
  useScan((code) => void hear(code, asked));
  const machine = machineOf(machineId);
  const recent = useRecentParts(machineId);
  const back = { to: { place: 'machine', machineId }, label: machine?.name ?? machineId } as const;
  const { part: texts, trouble } = words.value;
  if (machine === undefined) return <Frame answer={trouble.waits} back={back} children={null} />;
  // Parts that are shown before the recent ones would move down under a finger.
  const isReady = recent !== null || sought.value !== '';
  const found = (isReady ? (parts.value ?? []) : []).filter((part) => matches(part, sought.value));
  const present = machine.part === null ? '' : texts.now(machine.part.partName ?? machine.part.partId);
  const ask = (part: Part) => {
    asked.value = part;
  };
  const close = () => {
    asked.value = null;
  };
  return (
    <Frame answer={texts.title(machine.name)} more={present} back={back}>
      <ScanPrompt title={texts.scan} hint={texts.scanHint} />
      <SearchField
        label={texts.find}
        value={sought.value}
        onSearch={(text) => {
          sought.value = text;
          most.value = SHOWN;
        }}
      />
      {found.length === 0 && isReady && parts.value !== null && (
        <p class="dim">{parts.value.length === 0 ? texts.noParts : texts.none}</p>
      )}
      {sought.value === '' && recent !== null && <RecentParts recent={recent} onAsk={ask} />}
      <div class="reasons">
        {found.slice(0, most.value).map((part) => (
          <PartButton key={part.partId} part={part} more="" onAsk={ask} />
        ))}
      </div>
      <MoreButton
        shown={Math.min(most.value, found.length)}
        total={found.length}
        onMore={() => {
          most.value += SHOWN;
        }}
      />
      {asked.value !== null && (
        <PartCard
          key={asked.value.partId}
          part={asked.value}
          machineName={machine.name}
          lastHere={lastHereOf(asked.value, recent)}
          onSelect={() => void select(machine, asked.value, close)}
          onClose={close}
        />
      )}
    </Frame>
  );
}

interface RecentPartsProps {
  readonly recent: readonly RecentPartView[];
  readonly onAsk: (part: Part) => void;
}

/** The recent parts. Those that were removed from the plant since are left out, because they cannot be selected. */
function RecentParts({ recent, onAsk }: RecentPartsProps) {
  const { part: texts } = words.value;
  const known = recent.flatMap((one) => {
    const part = (parts.value ?? []).find(({ partId }) => partId === one.partId);
    return part === undefined ? [] : [{ ...one, part }];
  });
  return (
    <section class="stack" aria-label={texts.recent}>
      <h2 class="h3">{texts.recent}</h2>
      {known.length === 0 && <p class="dim">{texts.noneRecent}</p>}
      <div class="reasons">
        {known.map(({ part, lastSelectedAt, lastMadeAt }) => (
          <PartButton key={part.partId} part={part} more={whenLast(lastMadeAt, lastSelectedAt)} onAsk={onAsk} />
        ))}
      </div>
      <h2 class="h3">{texts.all}</h2>
    </section>
  );
}

/** A machine that sends neither job nor operator does not say when it made what. */
function whenLast(madeAt: string | null, selectedAt: string | null): string {
  const { part: texts } = words.value;
  if (madeAt !== null) return texts.lastMade(timeOrDate(madeAt));
  return selectedAt === null ? '' : texts.lastSelected(timeOrDate(selectedAt));
}

function lastHereOf({ partId }: Part, recent: readonly RecentPartView[] | null): string {
  const last = recent?.find((one) => one.partId === partId);
  return last === undefined ? '' : whenLast(last.lastMadeAt, last.lastSelectedAt);
}

interface PartButtonProps {
  readonly part: Part;
  readonly more: string;
  readonly onAsk: (part: Part) => void;
}

function PartButton({ part, more, onAsk }: PartButtonProps) {
  return (
    <button type="button" class="reason" onClick={() => onAsk(part)}>
      <Icon name="profiles" />
      <span>
        {part.partName ?? part.partId}
        <small>{[...numberOf(part), ...(more === '' ? [] : [more])].join(' · ')}</small>
      </span>
    </button>
  );
}

/** The number of a part that has a name as well. */
function numberOf({ partId, partName }: Part): readonly string[] {
  return partName === null || partName === undefined || partName === partId ? [] : [partId];
}

function matches({ partId, partName }: Part, sought: string): boolean {
  return `${partId} ${partName ?? ''}`.toLowerCase().includes(sought.trim().toLowerCase());
}

/** A scanned part opens its card; other records open their places. */
async function hear(code: string, asked: Signal<Part | null>): Promise<void> {
  const scanned = await lookUp(code);
  if (scanned === null) return;
  asked.value = null;
  if (scanned.kind === 'part') asked.value = { partId: scanned.id, partName: scanned.name };
  else await openRecord(scanned);
}

/**
 * Selects a part, and offers Undo, which selects the former part again. The machine's event shows it: the answer is a
 * whole machine, which may be older than the events before it.
 */
async function select(machine: Machine, part: Part | null, close: () => void): Promise<void> {
  if (part === null) return;
  const path = `/machines/${encodeURIComponent(machine.machineId)}/part`;
  const goOn = goUnlessElsewhere();
  if (!isDone(await call('PUT', path, { partId: part.partId }))) return;
  loadIfMissing();
  close();
  goOn({ place: 'machine', machineId: machine.machineId });
  showDone(words.value.part.selected(part.partName ?? part.partId, machine.name), '', () =>
    putBack(path, machine.part),
  );
}

async function putBack(path: string, before: Machine['part']): Promise<boolean> {
  const outcome = before === null ? await call('DELETE', path) : await call('PUT', path, { partId: before.partId });
  loadIfMissing();
  return isDone(outcome);
}

/** Without a line no event shows the part, so the machines are loaded. */
function loadIfMissing(): void {
  if (missingSinceMs() !== null) void loadMachines();
}

interface PartCardProps {
  readonly part: Part;
  readonly machineName: string;
  /** When it was made or chosen here last; empty: not known. */
  readonly lastHere: string;
  readonly onSelect: () => void;
  readonly onClose: () => void;
}

/** A part that was scanned or tapped, with its drawing, to confirm. */
function PartCard({ part, machineName, lastHere, onSelect, onClose }: PartCardProps) {
  const { part: texts } = words.value;
  const { partId, partName } = part;
  return (
    <Sheet title={partName ?? partId} onClose={onClose}>
      <p class="dim">{[partId, lastHere].filter(Boolean).join(' · ')}</p>
      <Shape name={partName ?? partId} />
      <button type="button" class="btn btn-main btn-wide" onClick={onSelect}>
        {texts.selectFor(machineName)}
      </button>
    </Sheet>
  );
}

/** The probable shape of a part. Parts do not refer to profiles, so the profile with the same name is shown. */
function Shape({ name }: { readonly name: string }) {
  const profile = useResource(name, () => profileNamed(name)).value;
  const { part: texts, profiles, units } = words.value;
  if (profile === null || profile === 'none') return null;
  return (
    <>
      <Drawing profile={profile} />
      <p class="dim small">
        {texts.profileOfName(profile.revision)} {profiles.blankWidth} {number(profile.blankWidth, 4)} {units.inch}
      </p>
    </>
  );
}

const MAX_RECENT_PARTS = 6;
const NONE = { kind: 'done', value: [] } as const;

/**
 * The parts that a machine made or was set to last, the newest first; null until the answer has come. A refusal is told,
 * and gives none: the other parts can be selected all the same.
 */
function useRecentParts(machineId: string): readonly RecentPartView[] | null {
  const path = `/machines/${encodeURIComponent(machineId)}/recentParts`;
  const load = async () => {
    const outcome = await call<readonly RecentPartView[]>('GET', path);
    return isDone(outcome) ? outcome : NONE;
  };
  return useResource(path, load).value?.slice(0, MAX_RECENT_PARTS) ?? null;
}
