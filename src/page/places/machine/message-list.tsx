import type { MessageView } from '../../../flows/local-api/local-api-ports.ts';
import { timeToTheSecond } from '../../show/format.ts';
import { ScrollSection } from '../../show/scroll-section.tsx';
import { words } from '../../words/words.ts';

interface MessageListProps {
  readonly messages: readonly MessageView[];
  readonly onChoose: (message: MessageView) => void;
}

/** The last messages of a device, the newest first: each taken, or refused and why. */
export function MessageList({ messages, onChoose }: MessageListProps) {
  const said = words.value.machine;
  if (messages.length === 0) return null;
  const keys = keysOf(messages);
  return (
    <ScrollSection label={said.messages} class="messages">
      <h3 class="over">{said.messagesOf(messages.length)}</h3>
      <table class="table">
        <tbody>
          {messages.map((message, place) => (
            <tr key={keys[place]}>
              <td class="num">{timeToTheSecond(message.receivedAt)}</td>
              <td>
                <button type="button" class="btn btn-small" onClick={() => onChoose(message)}>
                  <code>{message.topic}</code>
                </button>
              </td>
              <td class={message.outcome === 'taken' ? 'dim' : 'bold'}>{said.outcomes[message.outcome]}</td>
              <td class="small">
                {message.reason ?? <span class="dim clip">{message.text.slice(0, MAX_SHOWN)}</span>}
                <span class="dim">
                  {' '}
                  {said.cameAs(message.bytes, message.transport, message.qos)}
                  {message.retained && `, ${said.retained}`}
                </span>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollSection>
  );
}

const MAX_SHOWN = 60;

/** A row stays the same while newer ones come, so that a tap or the focus on it is not lost; several may have one time. */
function keysOf(messages: readonly MessageView[]): readonly string[] {
  const seen = new Map<string, number>();
  return [...messages]
    .reverse()
    .map(({ receivedAt }) => {
      const number = (seen.get(receivedAt) ?? 0) + 1;
      seen.set(receivedAt, number);
      return `${receivedAt} ${number}`;
    })
    .reverse();
}
