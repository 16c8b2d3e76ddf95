import { useSignal } from '@preact/signals';
import { TOLD_ROLES } from '../../../domain/alert/alert-rule.ts';
import type { QuietHours, Recipient, Way } from '../../../domain/alert/recipient.ts';
import { REPORT_PERIODS } from '../../../domain/production/report-periods.ts';
import type { ChannelStateView } from '../../../flows/alert/alert-views.ts';
import { Icon } from '../../show/icon.tsx';
import { language, words } from '../../words/words.ts';
import { type FormField, RecordForm, type Typed } from '../admin/record-form.tsx';
import { RemoveSetting } from './remove-setting.tsx';
import { hasAddresses } from './test-channel.tsx';

interface RecipientsProps {
  readonly recipients: readonly Recipient[];
  readonly channels: readonly ChannelStateView[];
  /** False: the person is not for all plants. */
  readonly mayChange: boolean;
  readonly onChanged: () => void;
}

/** The people and groups who are told, by which ways and when. */
export function Recipients({ recipients, channels, mayChange, onChanged }: RecipientsProps) {
  const shown = useSignal<Recipient | 'new' | null>(null);
  const { alerts: texts } = words.value;
  const close = () => {
    shown.value = null;
  };
  return (
    <section class="pane flush" aria-label={texts.people}>
      <div class="head">
        <h2 class="h3 grow">{recipients.length === 0 ? texts.noPeople : texts.people}</h2>
        {mayChange && (
          <button type="button" class="btn" onClick={() => (shown.value = 'new')}>
            <Icon name="plus" />
            {texts.addPerson}
          </button>
        )}
      </div>
      {recipients.length > 0 && (
        <RecipientTable
          recipients={recipients}
          channels={channels}
          mayChange={mayChange}
          onChange={(one) => (shown.value = one)}
        />
      )}
      {shown.value !== null && (
        <RecipientForm
          recipient={shown.value === 'new' ? null : shown.value}
          channels={channels}
          onClose={close}
          onDone={() => {
            close();
            onChanged();
          }}
        />
      )}
    </section>
  );
}

interface RecipientTableProps extends Omit<RecipientsProps, 'onChanged'> {
  readonly onChange: (recipient: Recipient) => void;
}

function RecipientTable({ recipients, channels, mayChange, onChange }: RecipientTableProps) {
  const { alerts: texts } = words.value;
  const names = new Map(channels.map(({ channelId, name }) => [channelId, name]));
  return (
    <table class="table cards-s">
      <thead>
        <tr>
          <th>{texts.name}</th>
          <th>{texts.by}</th>
          <th>{texts.toldWhen}</th>
          <th>{texts.quietHours}</th>
        </tr>
      </thead>
      <tbody>
        {recipients.map((recipient) => (
          <tr key={recipient.recipientId}>
            <td>
              <button type="button" class="btn btn-plain" disabled={!mayChange} onClick={() => onChange(recipient)}>
                {recipient.name}
                <span class="sr"> {texts.change}</span>
              </button>{' '}
              <span class="dim">{recipient.role === null ? '' : texts.roles[recipient.role]}</span>
            </td>
            <td data-k={texts.by}>
              {recipient.ways.flatMap(({ channelId }) => names.get(channelId) ?? []).join(', ')}
            </td>
            <td data-k={texts.toldWhen}>{whenText(recipient)}</td>
            <td data-k={texts.quietHours}>{quietText(recipient)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function whenText({ shifts, areas, reports = [] }: Recipient): string {
  const { alerts: texts } = words.value;
  const when = shifts.length === 0 ? texts.always : texts.inShifts(shifts.join(', '));
  return [when, ...areas, ...reports.map((period) => texts.reports[period])].join(', ');
}

function quietText({ quiet }: Recipient): string {
  const { alerts: texts } = words.value;
  if (quiet === null) return texts.noQuiet;
  return texts.quiet(minuteText(quiet.fromMinute), minuteText(quiet.toMinute), quiet.redComes);
}

interface RecipientFormProps {
  /** Null: a new one. */
  readonly recipient: Recipient | null;
  readonly channels: readonly ChannelStateView[];
  readonly onClose: () => void;
  readonly onDone: () => void;
}

/** A person or a group: role, places, hours, and an address in each channel. */
function RecipientForm({ recipient, channels, onClose, onDone }: RecipientFormProps) {
  const { alerts: texts } = words.value;
  const id = recipient?.recipientId;
  const path = id === undefined ? '/alerts/recipients' : `/alerts/recipients/${encodeURIComponent(id)}`;
  return (
    <RecordForm
      title={recipient?.name ?? texts.addPerson}
      path={path}
      method={recipient === null ? 'POST' : 'PUT'}
      submit={texts.save}
      fields={[...fieldsOf(recipient), ...channels.map((channel) => wayField(channel, recipient))]}
      bodyOf={(typed, lists) => bodyOf(typed, lists, channels, recipient)}
      onClose={onClose}
      onDone={onDone}
    >
      {recipient !== null && (
        <RemoveSetting path={path} title={texts.removePerson(recipient.name)} meaning="" onRemoved={onDone} />
      )}
    </RecordForm>
  );
}

function fieldsOf(recipient: Recipient | null): readonly FormField[] {
  const { alerts: texts } = words.value;
  const { quiet = null, areas = [], shifts = [] } = recipient ?? {};
  const minutes = (minute: number | undefined) => (minute === undefined ? '' : minuteText(minute));
  return [
    { name: 'name', label: texts.name, value: recipient?.name ?? '' },
    {
      name: 'role',
      label: texts.role,
      value: recipient?.role ?? '',
      choices: [
        { value: '', label: texts.noRole },
        ...TOLD_ROLES.map((role) => ({ value: role, label: texts.roles[role] })),
      ],
    },
    { name: 'areas', label: texts.areas, type: 'lines', value: areas.join('\n'), hint: texts.areasHint },
    { name: 'shifts', label: texts.shifts, type: 'lines', value: shifts.join('\n'), hint: texts.areasHint },
    { name: 'quietFrom', label: texts.quietFrom, value: minutes(quiet?.fromMinute), hint: texts.quietHint },
    { name: 'quietTo', label: texts.quietTo, value: minutes(quiet?.toMinute), hint: texts.quietHint },
    quietDaysField(quiet),
    {
      name: 'redComes',
      label: texts.redComes,
      value: quiet?.redComes === false ? 'no' : 'yes',
      choices: [
        { value: 'yes', label: texts.redCome },
        { value: 'no', label: texts.redWait },
      ],
    },
    {
      name: 'language',
      label: texts.language,
      value: recipient?.language ?? language.value,
      choices: (['en', 'de'] as const).map((value) => ({ value, label: texts.languages[value] })),
    },
    ...REPORT_PERIODS.map((period) => ({
      name: `report-${period}`,
      label: texts.reports[period],
      value: recipient?.reports?.includes(period) === true ? 'yes' : '',
      choices: [
        { value: '', label: texts.wayNo },
        { value: 'yes', label: texts.wayYes },
      ],
    })),
  ];
}

/** The days of the week on which quiet hours may begin. 1 is Monday. */
const QUIET_DAYS: Readonly<Record<'every' | 'work' | 'weekend', readonly number[]>> = {
  every: [],
  work: [1, 2, 3, 4, 5],
  weekend: [6, 7],
};

/** A program may choose other days, which stay. */
function quietDaysField(quiet: QuietHours | null): FormField {
  const { alerts: texts } = words.value;
  const chosen = String(quiet?.weekdays ?? []);
  const choices = Object.entries(QUIET_DAYS).map(([name, days]) => ({
    value: String(days),
    label: texts.quietDays[name as keyof typeof QUIET_DAYS],
  }));
  const isKnown = choices.some(({ value }) => value === chosen);
  return {
    name: 'quietDays',
    label: texts.quietOn,
    value: chosen,
    choices: isKnown ? choices : [...choices, { value: chosen, label: chosen }],
  };
}

function wayField(channel: ChannelStateView, recipient: Recipient | null): FormField {
  const { alerts: texts } = words.value;
  const way = recipient?.ways.find(({ channelId }) => channelId === channel.channelId);
  const name = `way-${channel.channelId}`;
  if (hasAddresses(channel)) return { name, label: texts.wayBy(channel.name), value: way?.address ?? '' };
  const choices = [
    { value: '', label: texts.wayNo },
    { value: 'yes', label: texts.wayYes },
  ];
  return { name, label: `${texts.by} ${channel.name}`, value: way === undefined ? '' : 'yes', choices };
}

function bodyOf(
  typed: Typed,
  lists: Readonly<Record<string, readonly string[]>>,
  channels: readonly ChannelStateView[],
  before: Recipient | null,
): Omit<Recipient, 'recipientId'> {
  const { name = '', role, language: spoken } = typed;
  return {
    name,
    role: TOLD_ROLES.find((one) => one === role) ?? null,
    areas: lists.areas ?? [],
    shifts: lists.shifts ?? [],
    language: spoken === 'de' ? 'de' : 'en',
    quiet: quietOf(typed),
    reports: REPORT_PERIODS.filter((period) => typed[`report-${period}`] === 'yes'),
    ways: channels.flatMap((channel) => wayOf(channel, typed, before)),
  };
}

/** A topic's address is set by programs alone; it stays. */
function wayOf(channel: ChannelStateView, typed: Typed, before: Recipient | null): readonly Way[] {
  const { channelId } = channel;
  const value = typed[`way-${channelId}`];
  if (value === undefined) return [];
  const known = before?.ways.find((way) => way.channelId === channelId)?.address ?? null;
  return [{ channelId, address: hasAddresses(channel) ? value : known }];
}

function quietOf({ quietFrom, quietTo, quietDays = '', redComes }: Typed): QuietHours | null {
  if (quietFrom === undefined && quietTo === undefined) return null;
  return {
    fromMinute: minuteOf(quietFrom ?? ''),
    toMinute: minuteOf(quietTo ?? ''),
    weekdays: quietDays === '' ? [] : quietDays.split(',').map(Number),
    redComes: redComes !== 'no',
  };
}

const MINUTES_AN_HOUR = 60;

/** A time of day as HH:MM. */
function minuteText(minute: number): string {
  const two = (number: number) => String(number).padStart(2, '0');
  return `${two(Math.floor(minute / MINUTES_AN_HOUR))}:${two(minute % MINUTES_AN_HOUR)}`;
}

/** Minus one, which the gateway refuses, if the text is no time of day. */
function minuteOf(text: string): number {
  const [, hours, minutes] = /^(\d{1,2}):(\d\d)$/.exec(text) ?? [];
  const minute = Number(hours) * MINUTES_AN_HOUR + Number(minutes);
  return Number.isNaN(minute) ? -1 : minute;
}
