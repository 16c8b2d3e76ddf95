import type { AlertRule } from '../../../domain/alert/alert-rule.ts';
import type { Recipient } from '../../../domain/alert/recipient.ts';
import type { RuleView } from '../../../flows/alert/alert-views.ts';
import { placedMachines } from '../../plant/machines.ts';
import { words } from '../../words/words.ts';
import { type FormField, RecordForm, type Typed } from '../admin/record-form.tsx';
import { RemoveSetting } from './remove-setting.tsx';
import { TestRule } from './test-channel.tsx';

/** Steps that the form shows; a program may set more. */
const STEPS = [1, 2, 3] as const;
/** The first minutes that a new step suggests. */
const SUGGESTED_MINUTES = ['0', '10', '20'];

type Change = Omit<AlertRule, 'ruleId'>;

interface RuleFormProps {
  /** Null: a new rule for a variable. */
  readonly rule: RuleView | null;
  readonly recipients: readonly Recipient[];
  readonly onClose: () => void;
  readonly onDone: () => void;
}

/** The numbers of a rule, where it counts, and who is told after how long. */
export function RuleForm({ rule, recipients, onClose, onDone }: RuleFormProps) {
  const { alerts: texts } = words.value;
  const title = rule === null ? texts.addRule : texts.kinds[rule.kind];
  return (
    <RecordForm
      title={title}
      path={rule === null ? '/alerts/rules' : `/alerts/rules/${encodeURIComponent(rule.ruleId)}`}
      method={rule === null ? 'POST' : 'PUT'}
      submit={texts.save}
      fields={fieldsOf(rule, recipients)}
      bodyOf={(typed, { shifts = [] }) => ({ ...bodyOf(rule, typed), ...(isOfFloor(rule) && { shifts }) })}
      onClose={onClose}
      onDone={onDone}
    >
      {rule !== null && <TestRule rule={rule} />}
      {rule !== null && !rule.isDefault && (
        <RemoveSetting
          path={`/alerts/rules/${encodeURIComponent(rule.ruleId)}`}
          title={texts.removeRule(rule.variable?.name ?? title)}
          meaning=""
          onRemoved={onDone}
        />
      )}
    </RecordForm>
  );
}

/** A rule without what only its view has. */
export function changeOf(rule: RuleView): Change {
  const { kind, isOn, limit, machineIds, areas, shifts, isPlanOnly, variable, steps } = rule;
  return { kind, isOn, limit, machineIds, areas, shifts, isPlanOnly, variable, steps };
}

function fieldsOf(rule: RuleView | null, recipients: readonly Recipient[]): readonly FormField[] {
  const { alerts: texts } = words.value;
  const isOfVariable = rule === null || rule.kind === 'variable';
  const limit = { name: 'limit', label: texts.outFor, value: String(rule?.limit ?? 2) };
  return [
    ...(isOfVariable ? variableFields(rule) : []),
    ...(rule === null || rule.kind === 'variable' ? [limit] : limitFields(rule)),
    ...(isOfFloor(rule) ? placeFields(rule) : []),
    ...STEPS.flatMap((step) => stepFields(step, rule, recipients)),
  ];
}

function isOfFloor(rule: RuleView | null): boolean {
  return rule === null || ['held', 'fault', 'silent', 'scrap', 'taskLate', 'variable'].includes(rule.kind);
}

function limitFields({ unit, limit, least, most }: RuleView): readonly FormField[] {
  if (unit === 'none') return [];
  const hint = `${least} – ${most}`;
  return [{ name: 'limit', label: words.value.alerts.limitOf[unit], value: String(limit), hint }];
}

function variableFields(rule: RuleView | null): readonly FormField[] {
  const { alerts: texts } = words.value;
  const { name = '', low = null, high = null } = rule?.variable ?? {};
  return [
    { name: 'variable', label: texts.variable, value: name },
    { name: 'low', label: texts.low, value: low === null ? '' : String(low) },
    { name: 'high', label: texts.high, value: high === null ? '' : String(high) },
  ];
}

function placeFields(rule: RuleView | null): readonly FormField[] {
  const { alerts: texts } = words.value;
  const machines = placedMachines.value.map(({ live }) => live.machine.value);
  const areas = [...new Set(machines.flatMap(({ area }) => area ?? []))].sort();
  const isOfVariable = rule === null || rule.kind === 'variable';
  const machineChoices = machines.map(({ machineId, name }) => ({ value: `machine:${machineId}`, label: name }));
  const wide = [
    { value: '', label: texts.allMachines },
    ...areas.map((area) => ({ value: `area:${area}`, label: texts.areaOf(area) })),
  ];
  return [
    {
      name: 'machineIds',
      label: texts.machines,
      value: placeOf(rule),
      choices: [...(isOfVariable ? [] : wide), ...machineChoices],
    },
    {
      name: 'isPlanOnly',
      label: texts.timeOf,
      value: rule?.isPlanOnly === false ? 'always' : 'plan',
      choices: [
        { value: 'plan', label: texts.planOnly },
        { value: 'always', label: texts.always },
      ],
    },
    {
      name: 'shifts',
      label: texts.shifts,
      type: 'lines',
      value: (rule?.shifts ?? []).join('\n'),
      hint: texts.areasHint,
    },
  ];
}

function placeOf(rule: RuleView | null): string {
  const [machineId] = rule?.machineIds ?? [];
  const [area] = rule?.areas ?? [];
  if (machineId !== undefined) return `machine:${machineId}`;
  return area === undefined ? '' : `area:${area}`;
}

function stepFields(
  step: (typeof STEPS)[number],
  rule: RuleView | null,
  recipients: readonly Recipient[],
): readonly FormField[] {
  const { alerts: texts } = words.value;
  const { to = [], afterMinutes = SUGGESTED_MINUTES[step - 1] } = rule?.steps[step - 1] ?? {};
  const who: FormField = {
    name: `to${step}`,
    label: texts.stepWho(step),
    value: to[0] ?? '',
    choices: [
      { value: '', label: texts.nobodyChoice },
      ...Object.entries(texts.roles).map(([role, label]) => ({ value: `role:${role}`, label })),
      ...recipients.map(({ recipientId, name }) => ({ value: recipientId, label: name })),
    ],
  };
  const after: FormField = { name: `after${step}`, label: texts.stepAfter(step), value: String(afterMinutes) };
  return step === 1 ? [who] : [who, after];
}

const WITHOUT: Change = {
  kind: 'variable',
  isOn: true,
  limit: 2,
  machineIds: [],
  areas: [],
  shifts: [],
  isPlanOnly: true,
  variable: null,
  steps: [],
};

function bodyOf(rule: RuleView | null, typed: Typed): Change {
  const before = rule === null ? WITHOUT : changeOf(rule);
  const { machineIds: place = '', isPlanOnly, limit } = typed;
  const [, kind, id = ''] = /^(machine|area):(.*)$/s.exec(place) ?? [];
  const where = isOfFloor(rule)
    ? {
        machineIds: kind === 'machine' ? [id] : [],
        areas: kind === 'area' ? [id] : [],
        isPlanOnly: isPlanOnly !== 'always',
      }
    : {};
  return {
    ...before,
    ...where,
    ...(limit !== undefined && { limit: numberOf(limit) }),
    ...(before.kind === 'variable' && { variable: variableOf(typed) }),
    steps: STEPS.flatMap((step) => stepOf(step, before, typed)),
  };
}

function variableOf({ variable = '', low, high }: Typed): AlertRule['variable'] {
  return {
    name: variable,
    low: low === undefined ? null : numberOf(low),
    high: high === undefined ? null : numberOf(high),
  };
}

/** Where several are told in one step, the form shows the first; they stay if it is not changed. */
function stepOf(step: (typeof STEPS)[number], before: Change, typed: Typed): AlertRule['steps'] {
  const first = typed[`to${step}`];
  if (first === undefined) return [];
  const { to = [] } = before.steps[step - 1] ?? {};
  const afterMinutes = step === 1 ? 0 : numberOf(typed[`after${step}`] ?? '0');
  return [{ afterMinutes, to: to[0] === first ? to : [first] }];
}

/** A comma is a point where people write it so. */
function numberOf(text: string): number {
  return Number(text.replace(',', '.'));
}
