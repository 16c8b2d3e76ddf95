import type { Dismissal } from '../../../flows/local-api/local-api-ports.ts';
import { call } from '../../api/call.ts';
import { isDone } from '../../app/tell-outcome.ts';
import { useResource } from '../../app/use-resource.ts';
import { isForAllPlants } from '../../people/who.ts';
import { type Diagnostics, type Fault, type Trouble, troublesOf } from '../../plant/diagnostics.ts';
import { machineOf } from '../../plant/machines.ts';
import { timeOrDate } from '../../show/format.ts';
import { Icon } from '../../show/icon.tsx';
import { TroubleText } from '../../show/trouble-text.tsx';
import { words } from '../../words/words.ts';

/** The id and topic root that a device uses; null: it uses HTTP. */
export interface DeviceName {
  readonly machineId: string;
  readonly topicRoot: string | null;
}

interface Knock extends DeviceName {
  readonly dismissal: Dismissal;
  readonly meantFor: string | null;
  readonly count: number;
  readonly lastAt: string;
  readonly detail: string;
}

interface UnknownDevicesProps {
  readonly onTake: (device: DeviceName) => void;
  readonly onMove: (device: DeviceName) => void;
}

/** Devices that are not set up (D-08), and machines that publish below another topic root than their own (D-36). */
export function UnknownDevices({ onTake, onMove }: UnknownDevicesProps) {
  const diagnostics = useResource('', () => call<Diagnostics>('GET', '/diagnostics'), { again: 'diagnostics' });
  const { admin: texts } = words.value;
  if (diagnostics.value === null) return null;
  return (
    <>
      {troublesOf(diagnostics.value, 'unknownDevice')
        .filter(({ subject, faults }) => machineOf(subject) === undefined && !faults.every(isDismissed))
        .map(knockOf)
        .map((knock) => (
          <KnockCard key={knock.machineId} knock={knock} title={texts.unknownDevice} onPress={() => onTake(knock)}>
            {texts.takeIn}
          </KnockCard>
        ))}
      {movedIn(diagnostics.value).map((knock) => (
        <KnockCard
          key={`${knock.machineId} ${knock.topicRoot}`}
          knock={knock}
          title={texts.otherRoot(machineOf(knock.machineId)?.topicRoot ?? '')}
          onPress={() => onMove(knock)}
        >
          {texts.useRoot}
        </KnockCard>
      ))}
    </>
  );
}

function isDismissed(fault: Fault): boolean {
  return fault.isDismissed;
}

/** Hides the report until the device is heard with something new (D-47). */
async function dismiss(dismissal: Dismissal): Promise<void> {
  isDone(await call('POST', '/diagnostics/dismissals', dismissal));
}

function knockOf({ subject, count, lastAt, detail, faults }: Trouble): Knock {
  const dismissal = { kind: 'unknownDevice', subject } as const;
  const { topicRoot = null, meantFor = null } = faults[0] ?? {};
  return { dismissal, machineId: subject, topicRoot, meantFor, count, lastAt, detail };
}

/** The last root of each machine that publishes below another root than the one that is set up. */
function movedIn(diagnostics: Diagnostics): readonly Knock[] {
  const faults = troublesOf(diagnostics, 'unmatchedTopic').flatMap(({ subject, faults }) =>
    faults.filter((fault) => !fault.isDismissed).map((fault) => ({ ...fault, subject })),
  );
  const moved = new Map<string, Knock>();
  for (const { subject, meantFor, topicRoot, count, lastAt, detail } of faults) {
    const machine = meantFor === null ? undefined : machineOf(meantFor);
    if (machine === undefined || topicRoot === null || topicRoot === machine.topicRoot) continue;
    const { machineId } = machine;
    const dismissal = { kind: 'unmatchedTopic', subject, meantFor: machineId } as const;
    if (!moved.has(machineId))
      moved.set(machineId, { dismissal, machineId, topicRoot, meantFor, count, lastAt, detail });
  }
  return [...moved.values()];
}

interface KnockCardProps {
  readonly knock: Knock;
  readonly title: string;
  readonly onPress: () => void;
  readonly children: string;
}

function KnockCard({
  knock: { dismissal, machineId, topicRoot, meantFor, count, lastAt, detail },
  title,
  onPress,
  children,
}: KnockCardProps) {
  const { admin: texts } = words.value;
  return (
    <section class="knock" aria-label={`${title} ${machineId}`}>
      <Icon name="warn" />
      <div>
        <b class="h3">{machineId}</b> {topicRoot !== null && <code>{topicRoot}</code>}
        <br />
        <span>{`${title}. ${texts.knocks(count, timeOrDate(lastAt))}`}</span>
        <div class="dim small">
          <TroubleText kind={dismissal.kind} meantFor={meantFor} details={[detail]} />
        </div>
      </div>
      <div class="stack">
        <button type="button" class="btn btn-tall" onClick={onPress}>
          {children}
        </button>
        {isForAllPlants() && (
          <button type="button" class="btn" onClick={() => void dismiss(dismissal)}>
            {texts.dismiss}
            <span class="sr"> {machineId}</span>
          </button>
        )}
      </div>
    </section>
  );
}
