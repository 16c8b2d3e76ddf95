import type { AuditPage } from '../../../flows/audit/audit-ports.ts';
import type { GatewayView } from '../../../flows/receive/gateway-view.ts';
import { callIn } from '../../api/call.ts';
import { pathOf } from '../../app/route.ts';
import { useResource } from '../../app/use-resource.ts';
import { seesSeveral } from '../../several-plants/own-plants.ts';
import { timeOrDate } from '../../show/format.ts';
import { Icon } from '../../show/icon.tsx';
import { words } from '../../words/words.ts';
import { actText, subjectText } from './events.tsx';

const SHOWN_ENTRIES = 10;
/** The server looks through its audit for them, so less often than Events asks. */
const LIVE_EVERY_MS = 15_000;

/** The newest acts about one gateway, which are in the audit of its plant, and the way to all of that plant. */
export function GatewayActs({ gateway: { gatewayId, plantId } }: { readonly gateway: GatewayView }) {
  const { events: texts, places } = words.value;
  const plant = seesSeveral() ? plantId : undefined;
  const path = `/audit?${new URLSearchParams({ take: `${SHOWN_ENTRIES}`, gatewayId })}`;
  const acts = useResource(`${plant} ${path}`, () => callIn<AuditPage>(plant, path), { everyMs: LIVE_EVERY_MS }).value;
  return (
    <section class="pane flush" aria-label={texts.question}>
      <div class="head row">
        <h2 class="h3">{texts.question}</h2>
        <a href={pathOf({ place: 'events' }, plant)} class="push">
          {places.events}
          <Icon name="right" />
        </a>
      </div>
      {acts !== null && acts.entries.length === 0 && <p class="head dim">{texts.noneYet}</p>}
      {acts !== null && acts.entries.length > 0 && (
        <table class="table">
          <tbody>
            {acts.entries.map(({ number, at, who, act, subject }) => (
              <tr key={number}>
                <td class="num nowrap">{timeOrDate(at)}</td>
                <td>{who}</td>
                <td>
                  {actText(act)} <b>{subjectText(subject)}</b>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}
