import { useSignal } from '@preact/signals';
import type { Recipient } from '../../../domain/alert/recipient.ts';
import type { ChannelStateView } from '../../../flows/alert/alert-views.ts';
import { call } from '../../api/call.ts';
import { Frame } from '../../app/frame.tsx';
import { useResource } from '../../app/use-resource.ts';
import { isForAllPlants } from '../../people/who.ts';
import { words } from '../../words/words.ts';
import { Channels } from './channels.tsx';
import { failingText } from './failing-text.ts';
import { Recipients } from './recipients.tsx';
import { Views } from './views.tsx';

/** Channels may fail or come back at any time. */
const LOOK_AGAIN_MS = 15_000;

interface Loaded {
  readonly channels: readonly ChannelStateView[];
  readonly recipients: readonly Recipient[];
}

/** Can people be reached? The channels with their state, and the people and groups with their ways and hours. */
export function WhoIsTold() {
  const version = useSignal(0);
  const loaded = useResource<Loaded>(`who ${version.value}`, askWho, { everyMs: LOOK_AGAIN_MS });
  const { alerts: texts } = words.value;
  const reload = () => {
    version.value += 1;
  };
  if (loaded.value === null) {
    return (
      <Frame answer={texts.who}>
        <Views view="who" />
      </Frame>
    );
  }
  const { channels, recipients } = loaded.value;
  const mayChange = isForAllPlants();
  return (
    <Frame {...answerOf(channels, mayChange)}>
      <Views view="who" />
      {(mayChange || channels.length > 0) && (
        <Channels channels={channels} recipients={recipients} mayChange={mayChange} onChanged={reload} />
      )}
      <Recipients recipients={recipients} channels={channels} mayChange={mayChange} onChanged={reload} />
    </Frame>
  );
}

function answerOf(
  channels: readonly ChannelStateView[],
  mayChange: boolean,
): { readonly answer: string; readonly more: string } {
  const { alerts: texts } = words.value;
  if (channels.length === 0) return { answer: texts.noChannels, more: mayChange ? texts.channelsHint : '' };
  const failing = channels.filter(({ state }) => state.failingSince !== null);
  const [first] = failing;
  if (first === undefined) return { answer: texts.channelsWork(channels.length), more: '' };
  return {
    answer: texts.channelsFail(failing.length, channels.length),
    more: `${first.name} ${failingText(first)}.`,
  };
}

async function askWho() {
  const [channels, recipients] = await Promise.all([
    call<readonly ChannelStateView[]>('GET', '/alerts/channels'),
    call<readonly Recipient[]>('GET', '/alerts/recipients'),
  ]);
  if (channels.kind !== 'done') return channels;
  if (recipients.kind !== 'done') return recipients;
  return { kind: 'done', value: { channels: channels.value, recipients: recipients.value } } as const;
}
