import type { Machine } from '../../../domain/plant/plant.ts';
import { words } from '../../words/words.ts';
import { RecordForm } from './record-form.tsx';
import { RemoveButton } from './remove-button.tsx';
import type { DeviceName } from './unknown-devices.tsx';

export type Configured = Pick<Machine, 'machineId' | 'name' | 'topicRoot' | 'serialNumber' | 'state'>;

interface MachineFormProps {
  /** The machine to change; null: a new one. */
  readonly machine: Configured | null;
  readonly device: DeviceName;
  readonly onDone: (machineId: string) => void;
  readonly onClose: () => void;
}

/** A new machine, or a change of one. Fields that are not asked for stay as they are. */
export function MachineForm({ machine, device, onDone, onClose }: MachineFormProps) {
  const { admin: said } = words.value;
  const { machineId } = device;
  const topicRoot = device.topicRoot ?? machine?.topicRoot ?? (machineId === '' ? '' : usualRoot(machineId));
  const isNew = machine === null;
  return (
    <RecordForm
      title={isNew ? (machineId === '' ? said.addMachine : said.add(machineId)) : said.changeOf(machineId)}
      path={isNew ? '/plant/machines' : `/plant/machines/${encodeURIComponent(machineId)}`}
      method={isNew ? 'POST' : 'PUT'}
      submit={isNew ? said.addMachine : said.save}
      fixed={machine ?? {}}
      onDone={(record) => onDone(record.machineId ?? machineId)}
      onClose={onClose}
      fields={[
        ...(isNew ? [{ name: 'machineId', label: said.machineId, value: machineId, hint: said.machineIdHint }] : []),
        { name: 'name', label: said.optional(said.name), value: machine?.name ?? '' },
        {
          name: 'topicRoot',
          label: said.topicRoot,
          value: topicRoot,
          hint: said.topicRootHint,
          ...(isNew && device.topicRoot === null && { follows: { field: 'machineId', as: usualRoot } }),
        },
        { name: 'serialNumber', label: said.optional(said.serialNumber), value: machine?.serialNumber ?? '' },
        { name: 'registrationKey', label: said.optional(said.registrationKey), hint: said.deliveryHint },
      ]}
    >
      {isNew ? (
        <p class="dim">{said.firstMessage}</p>
      ) : (
        <RemoveButton
          kind="machines"
          id={machineId}
          name={machine.name ?? machineId}
          label={said.removeMachine}
          class="btn btn-wide"
          onRemoved={onClose}
        />
      )}
    </RecordForm>
  );
}

function usualRoot(machineId: string): string {
  return `plant1/${machineId}`;
}
