import { type Diagnostics, type Fault, troublesOf } from '../../plant/diagnostics.ts';
import { timeOrDate } from '../../show/format.ts';
import { Icon } from '../../show/icon.tsx';
import { senderName } from '../../show/sender.ts';
import { TroubleText } from '../../show/trouble-text.tsx';
import { words } from '../../words/words.ts';

const SHOWN = 5;

/** The latest faults, in the gateway's own words. */
export function Troubles({ diagnostics }: { readonly diagnostics: Diagnostics }) {
  const { sync: said } = words.value;
  const kinds = Object.keys(diagnostics.counts).filter((kind) => troublesOf(diagnostics, kind).length > 0);
  if (kinds.length === 0) return null;
  return (
    <section class="pane stack" aria-label={said.troubles}>
      <h2 class="h3">{said.troubles}</h2>
      {kinds.map((kind) => (
        <details key={kind}>
          <summary>
            <Icon name="right" kind="turn" />
            {said.kindOf(kind)} <span class="dim num">{diagnostics.counts[kind]}</span>
          </summary>
          <dl class="facts facts-log">
            {troublesOf(diagnostics, kind)
              .slice(0, SHOWN)
              .map(({ subject, count, lastAt, address, faults }) => (
                <div class="fact" key={subject}>
                  <dt>
                    {timeOrDate(lastAt)} {senderName(subject)}{' '}
                    {address !== null && !subject.includes(address) && address} {count > 1 && `${count} ×`}
                  </dt>
                  <dd>
                    <TroubleText
                      kind={kind}
                      meantFor={meantForAll(faults)}
                      details={faults.map((fault) => `${fault.count > 1 ? `${fault.count} × ` : ''}${fault.detail}`)}
                    />
                  </dd>
                </div>
              ))}
          </dl>
        </details>
      ))}
    </section>
  );
}

/** The machine that was meant, if it is the same for all faults. */
function meantForAll(faults: readonly Fault[]): string | null {
  const [first, ...others] = new Set(faults.map(({ meantFor }) => meantFor));
  return others.length === 0 ? (first ?? null) : null;
}
