import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { Machine } from '../../../domain/plant/plant.ts';
import { call } from '../../api/call.ts';
import { onEvent } from '../../api/live.ts';
import { machineOf } from '../../plant/machines.ts';
import { timeOrDate } from '../../show/format.ts';
import { Icon } from '../../show/icon.tsx';
import { Link } from '../../show/link.tsx';
import { words } from '../../words/words.ts';
import { type Diagnostics, type Trouble, troublesOf } from '../sync/health.tsx';
import { RecordForm } from './record-form.tsx';
import { useRecords } from './use-records.ts';

type Configured = Pick<Machine, 'machineId' | 'name' | 'topicRoot' | 'serialNumber' | 'state'>;

/** Machines that are set up, and devices that knock. */
export function Machines() {
  const { records, reload } = useRecords<Configured>('machines');
  const adding = useSignal<string | null>(null);
  const { admin: said } = words.value;
  const close = () => {
    adding.value = null;
  };
  return (
    <>
      <UnknownDevices
        onTake={(machineId) => {
          adding.value = machineId;
        }}
      />
      <button type="button" class="btn btn-main btn-start" onClick={() => (adding.value = '')}>
        <Icon name="plus" />
        {said.addMachine}
      </button>
      {records !== null && <MachineTable machines={records} />}
      {adding.value !== null && (
        <AddMachine
          machineId={adding.value}
          onClose={close}
          onDone={() => {
            close();
            reload();
          }}
        />
      )}
    </>
  );
}

/** Devices that send and that nobody set up (D-08). */
function UnknownDevices({ onTake }: { readonly onTake: (machineId: string) => void }) {
  const devices = useSignal<readonly Trouble[]>([]);
  useEffect(() => {
    const load = async () => {
      const outcome = await call<Diagnostics>('GET', '/diagnostics');
      if (outcome.kind === 'done') devices.value = troublesOf(outcome.value, 'unknownDevice');
    };
    void load();
    return onEvent('diagnostics', () => void load());
  }, [devices]);
  const { admin: said } = words.value;
  return (
    <>
      {devices.value
        .filter(({ subject }) => machineOf(subject) === undefined)
        .map(({ subject, count, lastAt }) => (
          <section class="knock" aria-label={said.unknownDevice} key={subject}>
            <Icon name="warn" />
            <div>
              <b class="h3">{subject}</b>
              <br />
              <span>{said.knocks(count, timeOrDate(lastAt))}</span>
            </div>
            <button type="button" class="btn btn-tall" onClick={() => onTake(subject)}>
              {said.takeIn}
            </button>
          </section>
        ))}
    </>
  );
}

function MachineTable({ machines: all }: { readonly machines: readonly Configured[] }) {
  const { admin: said } = words.value;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by keyboard.
    <section class="pane flush scroll-x" aria-label={said.tabs.machines} tabIndex={0}>
      <table class="table">
        <thead>
          <tr>
            <th>{said.machine}</th>
            <th>{said.topicRoot}</th>
            <th class="hide-s">{said.serialNumber}</th>
            <th class="hide-s">{said.lastMessage}</th>
            <th>{said.state}</th>
          </tr>
        </thead>
        <tbody>
          {all.map(({ machineId, name, topicRoot, serialNumber, state }) => (
            <tr key={machineId}>
              <td>
                <Link to={{ place: 'machine', machineId }}>{name}</Link> <span class="dim">{machineId}</span>
              </td>
              <td>
                <code>{topicRoot}</code>
              </td>
              <td class="hide-s">{serialNumber}</td>
              <td class="hide-s num">{lastHeard(machineId)}</td>
              <td class="dim">{state}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function lastHeard(machineId: string): string {
  const at = machineOf(machineId)?.lastStatusAt ?? null;
  return at === null ? '–' : timeOrDate(at);
}

interface AddMachineProps {
  readonly machineId: string;
  readonly onDone: () => void;
  readonly onClose: () => void;
}

function AddMachine({ machineId, onDone, onClose }: AddMachineProps) {
  const { admin: said } = words.value;
  return (
    <RecordForm
      title={machineId === '' ? said.addMachine : said.add(machineId)}
      path="/plant/machines"
      submit={said.addMachine}
      onDone={onDone}
      onClose={onClose}
      fields={[
        { name: 'machineId', label: said.machineId, value: machineId },
        { name: 'name', label: said.name },
        { name: 'topicRoot', label: said.topicRoot, value: machineId === '' ? '' : `plant1/${machineId}` },
        { name: 'serialNumber', label: said.serialNumber },
        { name: 'registrationKey', label: said.registrationKey },
      ]}
    >
      <p class="dim">{said.firstMessage}</p>
    </RecordForm>
  );
}
