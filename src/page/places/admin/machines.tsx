import { useSignal } from '@preact/signals';
import { go } from '../../app/route.ts';
import { machineOf } from '../../plant/machines.ts';
import { timeOrDate } from '../../show/format.ts';
import { Icon } from '../../show/icon.tsx';
import { Link } from '../../show/link.tsx';
import { ScrollSection } from '../../show/scroll-section.tsx';
import { words } from '../../words/words.ts';
import { Steps } from '../set-up/steps.tsx';
import { type Configured, MachineForm } from './machine-form.tsx';
import { type DeviceName, UnknownDevices } from './unknown-devices.tsx';
import { useRecords } from './use-records.ts';

/** The form that is open: for a new machine, or for one that is set up. */
interface OpenForm {
  readonly machine: Configured | null;
  readonly device: DeviceName;
}

/** Machines that are set up, and devices that are not. */
export function Machines() {
  const { records, reload } = useRecords<Configured>('machines');
  const form = useSignal<OpenForm | null>(null);
  const { admin: said } = words.value;
  const open = (machine: Configured | null, device: DeviceName) => {
    form.value = { machine, device };
  };
  const close = () => {
    form.value = null;
  };
  const change = (device: DeviceName) => {
    const machine = records?.find(({ machineId }) => machineId === device.machineId);
    if (machine !== undefined) open(machine, device);
  };
  return (
    <>
      <UnknownDevices onTake={(device) => open(null, device)} onMove={change} />
      {records?.length === 0 && <FirstMachine />}
      <div class="row">
        <button type="button" class="btn btn-main" onClick={() => open(null, { machineId: '', topicRoot: null })}>
          <Icon name="plus" />
          {said.addMachine}
        </button>
        <a class="btn btn-tall" href="/docs#machine">
          {words.value.machine.connect}
        </a>
      </div>
      {records !== null && records.length > 0 && <MachineTable machines={records} onChange={change} />}
      {form.value !== null && (
        <MachineForm
          {...form.value}
          onClose={close}
          onDone={(machineId) => {
            const isNew = form.value?.machine === null;
            close();
            reload();
            if (isNew) go({ place: 'machine', machineId });
          }}
        />
      )}
    </>
  );
}

/** The last step of the first run. */
function FirstMachine() {
  const { admin: said } = words.value;
  return (
    <section class="pane stack" aria-label={said.firstMachine}>
      <Steps here={2} />
      <h2 class="h3">{said.firstMachine}</h2>
      <p>{said.firstMachineHint}</p>
    </section>
  );
}

interface MachineTableProps {
  readonly machines: readonly Configured[];
  readonly onChange: (device: DeviceName) => void;
}

function MachineTable({ machines: all, onChange }: MachineTableProps) {
  const { admin: said } = words.value;
  return (
    <ScrollSection label={said.tabs.machines} class="pane flush">
      <table class="table">
        <thead>
          <tr>
            <th>{said.machine}</th>
            <th>{said.topicRoot}</th>
            <th class="hide-s">{said.serialNumber}</th>
            <th class="hide-s">{said.lastMessage}</th>
            <th class="hide-s">{said.state}</th>
            <td />
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
              <td class="hide-s dim">{words.value.delivery.standings[state]}</td>
              <td class="right">
                <button type="button" class="btn btn-plain" onClick={() => onChange({ machineId, topicRoot: null })}>
                  {words.value.people.change}
                  <span class="sr"> {machineId}</span>
                </button>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollSection>
  );
}

function lastHeard(machineId: string): string {
  const at = machineOf(machineId)?.lastStatusAt ?? null;
  return at === null ? '–' : timeOrDate(at);
}
