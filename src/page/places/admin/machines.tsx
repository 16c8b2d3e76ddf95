import { useSignal } from '@preact/signals';
import type { Machine, VariableDetail } from '../../../domain/plant/plant.ts';
import { MoreButton } from '../../app/more-button.tsx';
import { go } from '../../app/route.ts';
import { SearchField } from '../../app/search-field.tsx';
import { machineOf } from '../../plant/machines.ts';
import { isFound } from '../../plant/station-choice.ts';
import { timeOrDate } from '../../show/format.ts';
import { Icon } from '../../show/icon.tsx';
import { Link } from '../../show/link.tsx';
import { ScrollSection } from '../../show/scroll-section.tsx';
import { words } from '../../words/words.ts';
import { Steps } from '../set-up/steps.tsx';
import { rateField } from './plant-data.tsx';
import { type FormField, numberOf, RecordForm } from './record-form.tsx';
import { Act } from './records-tab.tsx';
import { RemoveButton } from './remove-button.tsx';
import { type DeviceName, UnknownDevices } from './unknown-devices.tsx';
import { useForm } from './use-form.ts';
import { useRecords } from './use-records.ts';

/** Machines that are set up, and devices that are not. */
export function Machines() {
  const { records, reload } = useRecords<Configured>('machines');
  const { form, open, close } = useForm();
  const heard = useSignal<DeviceName | null>(null);
  const { admin: texts } = words.value;
  const take = (device: DeviceName) => {
    heard.value = device;
    open(device.machineId);
  };
  const machine = records?.find(({ machineId }) => machineId === form) ?? null;
  return (
    <>
      <UnknownDevices onTake={take} onMove={take} />
      {records?.length === 0 && <FirstMachine />}
      <div class="row">
        <button type="button" class="btn btn-main" onClick={() => open('')}>
          <Icon name="plus" />
          {texts.addMachine}
        </button>
        <a class="btn btn-tall" href="/docs#machine">
          {words.value.machine.connect}
        </a>
      </div>
      {records !== null && records.length > 0 && <MachineTable machines={records} onChange={open} />}
      {form !== null && (form === '' || records !== null) && (
        <MachineForm
          key={form}
          machine={machine}
          device={heard.value?.machineId === form ? heard.value : { machineId: form, topicRoot: null }}
          onClose={close}
          onDone={(machineId) => {
            close();
            reload();
            if (machine === null) go({ place: 'machine', machineId });
          }}
        />
      )}
    </>
  );
}

/** The last step of the first run. */
function FirstMachine() {
  const { admin: texts } = words.value;
  return (
    <section class="pane stack" aria-label={texts.firstMachine}>
      <Steps here={2} />
      <h2 class="h3">{texts.firstMachine}</h2>
      <p>{texts.firstMachineHint}</p>
    </section>
  );
}

interface MachineTableProps {
  readonly machines: readonly Configured[];
  readonly onChange: (machineId: string) => void;
}

/** Rows that are shown at once. */
const AT_ONCE = 100;
/** A plant with fewer machines needs no search. */
const SEARCHED_FROM = 25;

function MachineTable({ machines: all, onChange }: MachineTableProps) {
  const sought = useSignal('');
  const limit = useSignal(AT_ONCE);
  const found = all.filter((machine) => isFound(machine, sought.value));
  const { near } = words.value;
  return (
    <>
      {all.length >= SEARCHED_FROM && (
        <SearchField label={near.find} value={sought.value} onSearch={(text) => (sought.value = text)} />
      )}
      {found.length === 0 && <p class="dim">{near.none}</p>}
      <MachineRows machines={found.slice(0, limit.value)} onChange={onChange} />
      <MoreButton shown={limit.value} total={found.length} onMore={() => (limit.value += AT_ONCE)} />
    </>
  );
}

function MachineRows({ machines: shown, onChange }: MachineTableProps) {
  const { admin: texts } = words.value;
  return (
    <ScrollSection label={texts.tabs.machines} class="pane flush">
      <table class="table">
        <thead>
          <tr>
            <th>{texts.machine}</th>
            <th>{texts.topicRoot}</th>
            <th class="hide-s">{texts.serialNumber}</th>
            <th class="hide-s">{texts.lastMessage}</th>
            <th class="hide-s">{texts.state}</th>
            <td />
          </tr>
        </thead>
        <tbody>
          {shown.map(({ machineId, name, topicRoot, serialNumber, state }) => (
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
                <Act label={words.value.people.change} of={machineId} onPress={() => onChange(machineId)} />
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

type Configured = Omit<Machine, 'registrationKeyHash' | 'mqttPasswordHash'>;

interface MachineFormProps {
  /** The machine to change; null: a new one. */
  readonly machine: Configured | null;
  readonly device: DeviceName;
  readonly onDone: (machineId: string) => void;
  readonly onClose: () => void;
}

/** A new machine, or a change of one. Fields that are not asked for stay as they are. */
function MachineForm({ machine, device, onDone, onClose }: MachineFormProps) {
  const { admin: texts } = words.value;
  const { machineId } = device;
  const topicRoot = device.topicRoot ?? machine?.topicRoot ?? (machineId === '' ? '' : usualRoot(machineId));
  const isNew = machine === null;
  return (
    <RecordForm
      title={isNew ? (machineId === '' ? texts.addMachine : texts.add(machineId)) : texts.changeOf(machineId)}
      path={isNew ? '/plant/machines' : `/plant/machines/${encodeURIComponent(machineId)}`}
      method={isNew ? 'POST' : 'PUT'}
      submit={isNew ? texts.addMachine : texts.save}
      fixed={machine ?? {}}
      onDone={(record) => onDone(record.machineId ?? machineId)}
      onClose={onClose}
      fields={[
        ...(isNew ? [{ name: 'machineId', label: texts.machineId, value: machineId, hint: texts.machineIdHint }] : []),
        { name: 'name', label: texts.optional(texts.name), value: machine?.name ?? '' },
        {
          name: 'topicRoot',
          label: texts.topicRoot,
          value: topicRoot,
          hint: texts.topicRootHint,
          ...(isNew && device.topicRoot === null && { follows: { field: 'machineId', as: usualRoot } }),
        },
        { name: 'serialNumber', label: texts.optional(texts.serialNumber), value: machine?.serialNumber ?? '' },
        ...stationFields(machine),
        { name: 'registrationKey', label: texts.optional(texts.registrationKey), hint: texts.deliveryHint },
      ]}
    >
      {isNew ? (
        <p class="dim">{texts.firstMessage}</p>
      ) : (
        <RemoveButton
          kind="machines"
          id={machineId}
          name={machine.name}
          label={texts.removeMachine}
          class="btn btn-wide"
          onRemoved={onClose}
        />
      )}
    </RecordForm>
  );
}

/** Where the machine stands, what it shall make, and what it has of the plant's lists. */
function stationFields(machine: Configured | null): readonly FormField[] {
  const { admin, plantData: texts } = words.value;
  const lines = (values: readonly (string | number)[] = []) => ({ type: 'lines', value: values.join('\n') }) as const;
  const optional = (name: 'area' | 'target' | 'location' | 'claims' | 'variables' | 'variableDetails' | 'catalogs') =>
    ({ label: admin.optional(texts[name]), hint: texts[`${name}Hint`] }) as const;
  const target = machine?.targetPartsPerShift;
  return [
    { name: 'area', ...optional('area'), value: machine?.area ?? '' },
    { name: 'location', ...optional('location'), value: machine?.location ?? '' },
    rateField(machine?.idealPartsPerMinute),
    {
      name: 'targetPartsPerShift',
      ...optional('target'),
      value: target === undefined ? '' : String(target),
      read: numberOf,
    },
    { name: 'claims', ...optional('claims'), ...lines(machine?.claims) },
    { name: 'variables', ...optional('variables'), ...lines(machine?.variables) },
    {
      name: 'variableDetails',
      ...optional('variableDetails'),
      ...lines(machine?.variableDetails?.map(({ name, label = '', unit = '' }) => `${name}; ${label}; ${unit}`)),
      read: variableDetailOf,
    },
    { name: 'catalogs', ...optional('catalogs'), ...lines(machine?.catalogs), read: numberOf },
  ];
}

/** `lineSpeed; Line speed; ft/min` */
function variableDetailOf(line: string): VariableDetail {
  const [name = '', label = '', unit = ''] = line.split(';').map((text) => text.trim());
  return { name, ...(label !== '' && { label }), ...(unit !== '' && { unit }) };
}

function usualRoot(machineId: string): string {
  return `plant1/${machineId}`;
}
