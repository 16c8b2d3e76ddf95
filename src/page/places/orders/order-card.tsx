import { useSignal } from '@preact/signals';
import type { MadeItem } from '../../../domain/order/order-items.ts';
import type { FoundOrder, ShownItems } from '../../../flows/orders/order-ports.ts';
import { call, callBusiness } from '../../api/call.ts';
import { MoreButton } from '../../app/more-button.tsx';
import { useResource } from '../../app/use-resource.ts';
import { Count } from '../../show/count.tsx';
import { dateAndTime, day, number, wholePercent } from '../../show/format.ts';
import { Icon } from '../../show/icon.tsx';
import { measured, pieceLength } from '../../show/measure.ts';
import { ScrollSection } from '../../show/scroll-section.tsx';
import { words } from '../../words/words.ts';
import { ProgressBar } from './progress-bar.tsx';

/** Items that the card shows at first, and by which it grows. */
const SHOWN = 50;
const REFRESHED = { again: 'order', everyMs: 15_000 } as const;

/** An order: how much of it is made, its items and references, and the YAML that other programs get. */
export function OrderCard({ listed }: { readonly listed: FoundOrder }) {
  const { orders: texts } = words.value;
  const most = useSignal(SHOWN);
  const query = `orderKey=${encodeURIComponent(listed.orderKey)}&take=${most.value}`;
  const loaded = useResource(query, () => call<ShownItems>('GET', `/orders/items?${query}`), REFRESHED);
  const order = loaded.value?.order ?? listed;
  const { orderCode, documentIDs, customer, pieces, madePieces, lengthFt, bundles } = order;
  const length = measured(lengthFt, 'ft', 0);
  return (
    <section class="pane stack" aria-labelledby="order">
      <div class="head">
        <h2 class="h2" id="order">
          {orderCode ?? documentIDs[0]}
        </h2>
        <span class="dim">{customer}</span>
      </div>
      <div class="counts">
        <Count value={number(madePieces)} label={texts.madeOf(number(pieces))} isSmall />
        <Count value={wholePercent(pieces === 0 ? 0 : madePieces / pieces)} label={texts.made} isSmall />
        <Count value={length.text} label={length.unit} isSmall />
        <Count value={number(bundles)} label={texts.bundles} isSmall />
      </div>
      <ProgressBar made={madePieces} asked={pieces} />
      {loaded.value !== null && loaded.value.total > 0 && (
        <>
          <Items items={loaded.value.items} />
          <MoreButton
            shown={loaded.value.items.length}
            total={loaded.value.total}
            onMore={() => {
              most.value += SHOWN;
            }}
          />
          <p class="dim small">{texts.counted}</p>
        </>
      )}
      <Facts order={order} />
      {orderCode !== null && <Yaml orderCode={orderCode} />}
    </section>
  );
}

function Facts({ order }: { readonly order: FoundOrder }) {
  const { orders: texts } = words.value;
  const { requiredDateTime, shipDate, isOverdue } = order;
  const due = requiredDateTime === null ? null : dateAndTime(requiredDateTime);
  const facts: readonly (readonly [string, string | null])[] = [
    [texts.due, due !== null && isOverdue ? `${due}, ${texts.choices.overdue.toLowerCase()}` : due],
    [texts.ships, shipDate === null ? null : day(shipDate)],
    [texts.salesOrder, order.salesOrder],
    [texts.purchaseOrder, order.purchaseOrder],
    [texts.workOrders, order.workOrders.join(', ')],
    [texts.documents, order.documentIDs.join(', ')],
    [texts.choices.onHold, order.onHold ? texts.yes : texts.no],
  ];
  return (
    <dl class="facts facts-2">
      {facts.map(([name, value]) =>
        value === null || value === '' ? null : (
          <div class="fact" key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ),
      )}
    </dl>
  );
}

function Items({ items }: { readonly items: readonly MadeItem[] }) {
  const { orders: texts } = words.value;
  return (
    <ScrollSection label={texts.items}>
      <table class="table items cards-s">
        <thead>
          <tr>
            <th scope="col">{texts.items}</th>
            <th scope="col" class="right">
              {texts.length}
            </th>
            <th scope="col" class="right">
              {texts.choices.made}
            </th>
          </tr>
        </thead>
        <tbody>
          {items.map((item, place) => (
            <Item key={place} item={item} />
          ))}
        </tbody>
      </table>
    </ScrollSection>
  );
}

function Item({ item }: { readonly item: MadeItem }) {
  const { orders: texts } = words.value;
  const { lengthIn, pieces, madePieces, jobs, bundles, bundleCodes, pieceMark } = item;
  const [first, last] = bundleCodes;
  const codes = last === undefined ? first : `${first} … ${last}`;
  const more = [
    item.material ?? item.materialCode,
    pieceMark,
    texts.job(jobs.join(', ')),
    bundles > 0 && `${texts.inBundles(bundles)}${codes === undefined ? '' : `: ${codes}`}`,
  ];
  return (
    <tr>
      <th scope="row">
        {[item.toolingCode, item.tooling].filter(Boolean).join(' ')}
        <br />
        <small>{more.filter(Boolean).join(', ')}</small>
      </th>
      <td class="right num" data-k={texts.length}>
        {lengthIn === null ? '–' : pieceLength(lengthIn)}
      </td>
      <td class="right num" data-k={texts.choices.made}>
        {madePieces >= pieces && <Icon name="check" />}
        <b>{number(madePieces)}</b> / {number(pieces)}
        <ProgressBar made={madePieces} asked={pieces} />
      </td>
    </tr>
  );
}

function Yaml({ orderCode }: { readonly orderCode: string }) {
  const path = `/orders/orderSummary?orderCode=${encodeURIComponent(orderCode)}`;
  const text = useResource(path, () => callBusiness<string>('GET', path));
  return (
    <details>
      <summary>
        <Icon name="right" kind="turn" />
        {words.value.orders.yaml}
      </summary>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard. */}
      <pre class="raw" tabIndex={0}>
        {text.value}
      </pre>
    </details>
  );
}
