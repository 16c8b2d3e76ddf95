import type { Machine } from '../../plant/shown-state.ts';
import { now } from '../../show/clock.ts';
import { age } from '../../show/format.ts';
import { Icon } from '../../show/icon.tsx';
import { words } from '../../words/words.ts';

/** Fault and override stand apart from the rules: neither changes the decision. */
export function FaultAndOverride({ machine }: { readonly machine: Machine }) {
  const { fault, faultSince, override, overrideSince } = machine;
  const said = words.value.machine;
  return (
    <section class="pane" aria-label={`${said.fault}, ${said.override}`}>
      <div class="row row-flat">
        {fault ? (
          <span class="state state-red-line">
            <Icon name="fault" />
            {said.fault}
          </span>
        ) : (
          <Calm text={said.noFault} />
        )}
        <span class="bold num">{fault ? ageSince(faultSince) : ''}</span>
      </div>
      <hr class="rule rule-small" />
      <div class="row row-flat">
        {override ? (
          <span class="state state-override">
            <Icon name="override" />
            {said.override}
          </span>
        ) : (
          <Calm text={said.noOverride} />
        )}
        <span class="dim">{override ? `${said.pastRules} ${ageSince(overrideSince)}` : said.byRules}</span>
      </div>
    </section>
  );
}

function Calm({ text }: { readonly text: string }) {
  return (
    <span class="state state-calm">
      <Icon name="check" />
      {text}
    </span>
  );
}

function ageSince(since: string | null): string {
  return since === null ? '' : age(now.value - Date.parse(since));
}
