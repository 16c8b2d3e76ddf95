import type { OrderSummaryRow } from '../../../domain/order/order-summary.ts';
import { callBusiness } from '../../api/call.ts';
import { useLoaded } from '../../app/use-loaded.ts';
import { Count } from '../../show/count.tsx';
import { dateAndTime, number } from '../../show/format.ts';
import { Icon } from '../../show/icon.tsx';
import { measured } from '../../show/measure.ts';
import { words } from '../../words/words.ts';

/** One row of the summary of orders: its numbers and references, and the YAML that other programs get. */
export function OrderCard({ row }: { readonly row: OrderSummaryRow }) {
  const { orders: said } = words.value;
  const { orderCode, documentIDs, customer, pieces, lengthFt, bundles, requiredDateTime, onHold } = row;
  const length = measured(lengthFt, 'ft');
  const facts: readonly (readonly [string, string | null])[] = [
    [said.due, requiredDateTime === null ? null : dateAndTime(requiredDateTime)],
    [said.ships, row.shipDate],
    [said.salesOrder, row.salesOrder],
    [said.purchaseOrder, row.purchaseOrder],
    [said.workOrders, row.workOrders.join(', ')],
    [said.material, row.materialCode],
    [said.tooling, row.toolingCode],
    [said.documents, documentIDs.join(', ')],
    [said.onHold, onHold ? said.yes : said.no],
  ];
  return (
    <section class="pane stack" aria-labelledby="order">
      <div class="head">
        <h2 class="h2" id="order">
          {orderCode ?? documentIDs[0]}
        </h2>
        <span class="dim">{customer}</span>
      </div>
      <div class="counts counts-3">
        <Count value={number(pieces)} label={said.pieces} />
        <Count value={length.text} label={length.unit} />
        <Count value={number(bundles)} label={said.bundles} />
      </div>
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
      {orderCode !== null && <Yaml orderCode={orderCode} />}
    </section>
  );
}

function Yaml({ orderCode }: { readonly orderCode: string }) {
  const path = `/orders/orderSummary?orderCode=${encodeURIComponent(orderCode)}`;
  const text = useLoaded(path, () => callBusiness<string>('GET', path));
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
