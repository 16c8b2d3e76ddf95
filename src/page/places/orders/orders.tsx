import { useSignal } from '@preact/signals';
import type { OrderSummaryRow } from '../../../domain/order/order-summary.ts';
import type { FoundOrders } from '../../../flows/orders/order-ports.ts';
import { call, callBusiness } from '../../api/call.ts';
import { Frame } from '../../app/frame.tsx';
import { MoreButton } from '../../app/more-button.tsx';
import { SearchField } from '../../app/search-field.tsx';
import { useResource } from '../../app/use-resource.ts';
import { Count } from '../../show/count.tsx';
import { dateAndTime, day, number } from '../../show/format.ts';
import { Icon } from '../../show/icon.tsx';
import { measure, measured } from '../../show/measure.ts';
import { words } from '../../words/words.ts';

/** Orders that the list shows at first, and by which it grows. */
const SHOWN = 100;

/** The place Orders: the orders by their due dates, with a search and a filter for those on hold. */
export function Orders() {
  const sought = useSignal('');
  const isOnHoldOnly = useSignal(false);
  const chosen = useSignal<string | null>(null);
  const most = useSignal(SHOWN);
  const query = `q=${encodeURIComponent(sought.value.trim())}&onHold=${isOnHoldOnly.value}&take=${most.value}`;
  const found = useResource(query, () => call<FoundOrders>('GET', `/orders?${query}`));
  const { orders: texts, trouble } = words.value;
  if (found.value === null) return <Frame answer={trouble.waits} children={null} />;
  const { rows: shown, total, held, next } = found.value;
  const order = shown.find((row) => keyOf(row) === chosen.value) ?? shown[0];
  const due = next?.requiredDateTime == null ? '' : texts.next(next.orderCode ?? '', day(next.requiredDateTime));
  const choose = (onlyHeld: boolean) => {
    isOnHoldOnly.value = onlyHeld;
    most.value = SHOWN;
  };
  return (
    <Frame answer={texts.answer(total, held)} more={due}>
      <div class="cols cols-orders">
        <section class="stack" aria-label={texts.byDue}>
          <SearchField
            label={texts.find}
            value={sought.value}
            onSearch={(text) => {
              sought.value = text;
              most.value = SHOWN;
            }}
          />
          <div class="tabs">
            <Tab label={texts.open} count={total} isOn={!isOnHoldOnly.value} onPress={() => choose(false)} />
            <Tab label={texts.onHold} count={held} isOn={isOnHoldOnly.value} onPress={() => choose(true)} />
          </div>
          <div class="pick">
            {shown.map((row) => (
              <OrderOption
                key={keyOf(row)}
                row={row}
                isChosen={row === order}
                onChoose={() => (chosen.value = keyOf(row))}
              />
            ))}
          </div>
          {shown.length === 0 && (
            <p class="dim">
              {sought.value.trim() !== '' ? texts.none : isOnHoldOnly.value ? texts.noneHeld : texts.noneYet}
            </p>
          )}
          <MoreButton
            shown={shown.length}
            total={isOnHoldOnly.value ? held : total}
            onMore={() => {
              most.value += SHOWN;
            }}
          />
        </section>
        {order !== undefined && <OrderCard key={keyOf(order)} row={order} />}
      </div>
    </Frame>
  );
}

function keyOf({ orderCode, materialCode, toolingCode, documentIDs }: OrderSummaryRow): string {
  return JSON.stringify([orderCode, materialCode, toolingCode, orderCode === null ? documentIDs : null]);
}

interface TabProps {
  readonly label: string;
  readonly count: number;
  readonly isOn: boolean;
  readonly onPress: () => void;
}

function Tab({ label, count, isOn, onPress }: TabProps) {
  return (
    <button type="button" class="tab" aria-pressed={isOn} onClick={onPress}>
      {label} <span class="k">{count}</span>
    </button>
  );
}

interface OrderOptionProps {
  readonly row: OrderSummaryRow;
  readonly isChosen: boolean;
  readonly onChoose: () => void;
}

function OrderOption({ row, isChosen, onChoose }: OrderOptionProps) {
  const { orders: texts } = words.value;
  const { orderCode, documentIDs, customer, requiredDateTime, onHold, lengthFt } = row;
  const due = requiredDateTime === null ? '' : day(requiredDateTime);
  const length = measure(lengthFt, 'ft');
  return (
    <button type="button" class="opt" aria-pressed={isChosen} onClick={onChoose}>
      <span>
        <span class="name">{orderCode ?? documentIDs.join(', ')}</span>
        <br />
        <span class="sub">{customer}</span>
      </span>
      <span class="right">
        {onHold ? (
          <span class="state state-line">
            <Icon name="lock" />
            {texts.onHold}
          </span>
        ) : (
          <b>{due}</b>
        )}
        <br />
        <span class="sub">{onHold && due !== '' ? `${due}, ${length}` : length}</span>
      </span>
    </button>
  );
}

/** One row of the summary of orders: its numbers and references, and the YAML that other programs get. */
function OrderCard({ row }: { readonly row: OrderSummaryRow }) {
  const { orders: texts } = words.value;
  const { orderCode, documentIDs, customer, pieces, lengthFt, bundles, requiredDateTime, onHold } = row;
  const length = measured(lengthFt, 'ft');
  const facts: readonly (readonly [string, string | null])[] = [
    [texts.due, requiredDateTime === null ? null : dateAndTime(requiredDateTime)],
    [texts.ships, row.shipDate],
    [texts.salesOrder, row.salesOrder],
    [texts.purchaseOrder, row.purchaseOrder],
    [texts.workOrders, row.workOrders.join(', ')],
    [texts.material, row.materialCode],
    [texts.tooling, row.toolingCode],
    [texts.documents, documentIDs.join(', ')],
    [texts.onHold, onHold ? texts.yes : texts.no],
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
        <Count value={number(pieces)} label={texts.pieces} />
        <Count value={length.text} label={length.unit} />
        <Count value={number(bundles)} label={texts.bundles} />
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
