import {
  CODE_SETS,
  LOCATION_CATEGORIES,
  type Location,
  type MachineRate,
  type Part,
  type ReasonCode,
} from '../../../domain/plant/plant.ts';
import { words } from '../../words/words.ts';
import { numberOf } from './record-form.tsx';
import { RecordsTab } from './records-tab.tsx';

/** The parts that machines make, with their rates. Saving a part that a machine named first confirms it (D-09). */
export function Parts() {
  const { admin, plantData: texts } = words.value;
  return (
    <RecordsTab<Part>
      kind="parts"
      label={admin.tabs.parts}
      add={texts.addPart}
      idField="partId"
      nameOf={({ partName }) => partName}
      columns={[
        [admin.name, ({ partName }) => <b>{partName}</b>],
        [admin.reasonId, ({ partId }) => <span class="dim">{partId}</span>],
        [texts.rate, ({ idealPartsPerMinute }) => idealPartsPerMinute],
        [admin.state, ({ isNew }) => isNew && <span class="amber">{texts.notNamed}</span>],
      ]}
      fieldsOf={(part) => [
        { name: 'partName', label: admin.name, value: part?.partName ?? '' },
        rateField(part?.idealPartsPerMinute),
        {
          name: 'machineRates',
          label: admin.optional(texts.machineRates),
          hint: texts.machineRatesHint,
          type: 'lines',
          value: (part?.machineRates ?? []).map((one) => `${one.machineId} ${one.idealPartsPerMinute}`).join('\n'),
          read: machineRateOf,
        },
      ]}
    />
  );
}

/** The places of coils and machines. */
export function Locations() {
  const { admin, plantData: texts } = words.value;
  return (
    <RecordsTab<Location>
      kind="locations"
      label={admin.tabs.locations}
      add={texts.addLocation}
      idField="code"
      nameOf={({ name }) => name}
      columns={[
        [admin.name, ({ name }) => <b>{name}</b>],
        [admin.reasonId, ({ code }) => <span class="dim">{code}</span>],
        [texts.category, ({ category }) => texts.categories[category]],
      ]}
      fieldsOf={(place) => [
        { name: 'name', label: admin.name, value: place?.name ?? '' },
        {
          name: 'category',
          label: texts.category,
          value: place?.category ?? 'Warehouse',
          choices: LOCATION_CATEGORIES.map((value) => ({ value, label: texts.categories[value] })),
        },
      ]}
    />
  );
}

/** The reasons that drivers give for another coil, or for a task that cannot be done. */
export function ReasonCodes() {
  const { admin, plantData: texts } = words.value;
  return (
    <RecordsTab<ReasonCode>
      kind="reasonCodes"
      label={admin.tabs.codes}
      add={texts.addCode}
      idField="id"
      nameOf={({ reason }) => reason}
      columns={[
        [admin.reason, ({ reason }) => <b>{reason}</b>],
        [admin.reasonId, ({ id }) => <span class="dim">{id}</span>],
        [texts.codeSet, ({ codeSet }) => texts.codeSets[codeSet]],
      ]}
      fieldsOf={(code) => [
        { name: 'reason', label: admin.reason, value: code?.reason ?? '' },
        {
          name: 'codeSet',
          label: texts.codeSet,
          value: code?.codeSet ?? CODE_SETS[0],
          choices: CODE_SETS.map((value) => ({ value, label: texts.codeSets[value] })),
        },
      ]}
    />
  );
}

/** The field of an ideal rate, of a part or of a machine. */
export function rateField(rate: number | undefined) {
  const { admin, plantData: texts } = words.value;
  return {
    name: 'idealPartsPerMinute',
    label: admin.optional(texts.rate),
    hint: texts.rateHint,
    value: rate === undefined ? '' : String(rate),
    read: numberOf,
  };
}

/** `RF-01 1.4`. The gateway says what is wrong with another line. */
function machineRateOf(line: string): { readonly [Key in keyof MachineRate]: unknown } {
  const [machineId = '', rate = ''] = line.split(/[\s:;=]+/);
  return { machineId, idealPartsPerMinute: numberOf(rate) };
}
