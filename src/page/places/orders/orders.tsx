import { useSignal } from '@preact/signals';
import { ORDER_CHOICES, type OrderChoice } from '../../../domain/order/order-progress.ts';
import type { FoundOrder, FoundOrders } from '../../../flows/orders/order-ports.ts';
import { call } from '../../api/call.ts';
import { Frame } from '../../app/frame.tsx';
import { MoreButton } from '../../app/more-button.tsx';
import { SearchField } from '../../app/search-field.tsx';
import { useResource } from '../../app/use-resource.ts';
import { day } from '../../show/format.ts';
import { Icon } from '../../show/icon.tsx';
import { measure } from '../../show/measure.ts';
import { words } from '../../words/words.ts';
import { OrderCard } from './order-card.tsx';
import { ProgressBar } from './progress-bar.tsx';

/** Orders that the list shows at first, and by which it grows. */
const SHOWN = 100;
/** Changed orders come by themselves. Pieces that machines make, and due times that pass, are looked at in this time. */
const REFRESHED = { again: 'order', everyMs: 30_000, tellsRefusal: true } as const;

/** The place Orders: the orders by their due dates, with a search, and those that are overdue, on hold or made apart. */
export function Orders() {
  const sought = useSignal('');
  const choice = useSignal<OrderChoice>('open');
  const chosen = useSignal<string | null>(null);
  const most = useSignal(SHOWN);
  const query = `q=${encodeURIComponent(sought.value.trim())}&choice=${choice.value}&take=${most.value}`;
  const found = useResource(query, () => call<FoundOrders>('GET', `/orders?${query}`), REFRESHED);
  const { orders: texts, trouble } = words.value;
  if (found.value === null) return <Frame answer={trouble.waits} children={null} />;
  const { rows: shown, counts, next } = found.value;
  const order = shown.find(({ orderKey }) => orderKey === chosen.value) ?? shown[0];
  const due = next?.requiredDateTime == null ? '' : texts.next(next.orderCode ?? '', day(next.requiredDateTime));
  return (
    <Frame answer={texts.answer(counts.open, counts.overdue, counts.onHold)} more={due}>
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
            {ORDER_CHOICES.map((one) => (
              <button
                type="button"
                class="tab"
                key={one}
                aria-pressed={choice.value === one}
                onClick={() => {
                  choice.value = one;
                  most.value = SHOWN;
                }}
              >
                {texts.choices[one]} <span class="k">{counts[one]}</span>
              </button>
            ))}
          </div>
          <div class="pick">
            {shown.map((row) => (
              <OrderOption
                key={row.orderKey}
                row={row}
                isChosen={row === order}
                onChoose={() => {
                  chosen.value = row.orderKey;
                  requestAnimationFrame(showOrder);
                }}
              />
            ))}
          </div>
          {shown.length === 0 && (
            <p class="dim">{sought.value.trim() !== '' ? texts.none : texts.noneOf[choice.value]}</p>
          )}
          <MoreButton
            shown={shown.length}
            total={counts[choice.value]}
            onMore={() => {
              most.value += SHOWN;
            }}
          />
        </section>
        {order !== undefined && <OrderCard key={order.orderKey} listed={order} />}
      </div>
    </Frame>
  );
}

/** On a telephone the order stands below the list, and comes to the top. */
function showOrder(): void {
  const heading = document.getElementById('order');
  const { top = 0 } = heading?.getBoundingClientRect() ?? {};
  if (top > innerHeight / 2) heading?.scrollIntoView();
}

interface OrderOptionProps {
  readonly row: FoundOrder;
  readonly isChosen: boolean;
  readonly onChoose: () => void;
}

function OrderOption({ row, isChosen, onChoose }: OrderOptionProps) {
  const { orderCode, documentIDs, customer, requiredDateTime, lengthFt, pieces, madePieces } = row;
  const due = requiredDateTime === null ? '' : day(requiredDateTime);
  const mark = markOf(row);
  const length = measure(lengthFt, 'ft', 0);
  return (
    <button type="button" class="opt" aria-pressed={isChosen} onClick={onChoose}>
      <span>
        <span class="name">{orderCode ?? documentIDs.join(', ')}</span>
        <br />
        <span class="sub">{customer}</span>
      </span>
      <span class="right">
        {mark ?? <b>{due}</b>}
        <br />
        <span class="sub">{mark !== null && due !== '' ? due : length}</span>
      </span>
      {madePieces > 0 && <ProgressBar made={madePieces} asked={pieces} />}
    </button>
  );
}

function markOf({ isMade, isOverdue, onHold }: FoundOrder) {
  const { choices } = words.value.orders;
  if (isMade) return <Mark kind="calm" icon="check-ring" text={choices.made} />;
  if (isOverdue) return <Mark kind="held" icon="clock" text={choices.overdue} />;
  return onHold ? <Mark kind="line" icon="lock" text={choices.onHold} /> : null;
}

function Mark({ kind, icon, text }: { readonly kind: string; readonly icon: string; readonly text: string }) {
  return (
    <span class={`state state-${kind}`}>
      <Icon name={icon} />
      {text}
    </span>
  );
}
