import { firstFailing, type Machine } from '../../plant/shown-state.ts';
import { now } from '../../show/clock.ts';
import { age } from '../../show/format.ts';
import { Icon } from '../../show/icon.tsx';
import { words } from '../../words/words.ts';
import { FailingRule } from './failing-rule.tsx';

type Rule = Machine['rules'][number];

/** The four rules in their order. The first that fails is large and shows its remedy. */
export function RuleLadder({ machine }: { readonly machine: Machine }) {
  const { question, yes, no } = words.value.machine;
  const failing = firstFailing(machine);
  const place = machine.rules.findIndex(({ holds }) => !holds);
  return (
    <section class="pane" aria-labelledby="may">
      <div class="head head-small">
        <h2 class="h3" id="may">
          {question}
        </h2>
        <span class="dim">{failing === null ? yes : no(place + 1)}</span>
      </div>
      <ol class="ladder">
        {machine.rules.map((rule) =>
          rule === failing ? (
            <FailingRule key={rule.rule} machine={machine} rule={rule} />
          ) : (
            <Rung key={rule.rule} machine={machine} rule={rule} />
          ),
        )}
      </ol>
    </section>
  );
}

function Rung({ machine, rule }: { readonly machine: Machine; readonly rule: Rule }) {
  if (!rule.holds) {
    return (
      <li class="rung rung-also">
        <Icon name="held-line" />
        <span class="q">{words.value.machine.rule(rule.rule, rule.message)}</span>
        <span class="a">{words.value.machine.alsoFails}</span>
      </li>
    );
  }
  // The rule holds until the device has been silent for too long: that says nothing of a device that never sent.
  if (rule.rule === 'responding' && machine.decision.cause?.kind === 'neverHeard') {
    return (
      <li class="rung rung-also">
        <Icon name="silent" />
        <span class="q">{words.value.machine.respondingUnknown}</span>
        <span class="a" />
      </li>
    );
  }
  return (
    <li class="rung">
      <Icon name="check-ring" />
      <span class="q">{holdsText(rule.rule)}</span>
      <span class="a">{detailOf(machine, rule.rule)}</span>
    </li>
  );
}

function holdsText(rule: Rule['rule']): string {
  const { powerHolds, partHolds, respondingHolds, downtimeHolds } = words.value.machine;
  return { power: powerHolds, part: partHolds, responding: respondingHolds, downtime: downtimeHolds }[rule];
}

function detailOf({ part, lastStatusAt }: Machine, rule: Rule['rule']): string {
  if (rule === 'part' && part !== null) return [...new Set([part.partId, part.partName])].filter(Boolean).join(' ');
  if (rule !== 'responding' || lastStatusAt === null) return '';
  return words.value.machine.ago(age(now.value - Date.parse(lastStatusAt)));
}
