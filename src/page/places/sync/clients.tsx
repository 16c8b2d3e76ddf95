import { number, timeOrDate } from '../../show/format.ts';
import { Icon } from '../../show/icon.tsx';
import { ScrollSection } from '../../show/scroll-section.tsx';
import { senderName } from '../../show/sender.ts';
import { words } from '../../words/words.ts';

/** A client of the broker, as `/clients` has it. */
export interface Client {
  readonly clientId: string;
  readonly address: string;
  readonly mqttVersion: string;
  readonly since: string;
  readonly keepaliveSeconds: number;
  readonly subscriptions: readonly { readonly filter: string }[];
  readonly bytesBehind: number;
}

const SHOWN = 200;

/** The clients that are connected over MQTT now. */
export function Clients({ clients }: { readonly clients: readonly Client[] }) {
  const { sync: texts } = words.value;
  return (
    <details class="pane">
      <summary>
        <Icon name="right" kind="turn" />
        {texts.clients} <span class="dim num">{number(clients.length)}</span>
      </summary>
      <ScrollSection label={texts.clients}>
        <table class="table">
          <thead>
            <tr>
              {texts.clientColumns.map((title) => (
                <th key={title}>{title}</th>
              ))}
            </tr>
          </thead>
          <tbody>
            {clients
              .slice(0, SHOWN)
              .map(({ clientId, mqttVersion, address, since, keepaliveSeconds, subscriptions, bytesBehind }) => (
                <tr key={clientId}>
                  <td>
                    <code>{senderName(clientId)}</code>
                  </td>
                  <td>{mqttVersion}</td>
                  <td>{address}</td>
                  <td>{timeOrDate(since)}</td>
                  <td class="num">{`${number(keepaliveSeconds)} s`}</td>
                  <td class="small">{subscriptions.map(({ filter }) => filter).join(', ')}</td>
                  <td class="num">{number(bytesBehind)}</td>
                </tr>
              ))}
          </tbody>
        </table>
      </ScrollSection>
    </details>
  );
}
