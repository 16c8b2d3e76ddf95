import { Frame } from '../../app/frame.tsx';
import { machineOf } from '../../plant/machines.ts';
import { timeOrDay } from '../../show/format.ts';
import { words } from '../../words/words.ts';
import { Curves } from './curves.tsx';
import { type Curve, lastBeyond } from './load-curves.ts';
import { ScaleChoice } from './scale-choice.tsx';
import { useCurves } from './use-curves.ts';
import { NameChoice, PeriodChoice } from './variable-choices.tsx';

interface PlaceProps {
  readonly machineId: string;
  readonly query: string;
}

/** The process variables of a machine, several curves over one time: what happened before it stopped? (F13) */
export function VariablesPlace({ machineId, query }: PlaceProps) {
  const texts = words.value.variables;
  const machine = machineOf(machineId);
  const { choice, window, all, loaded } = useCurves(machineId, machine?.area ?? null, query);
  const name = machine?.name ?? machineId;
  const beyond = loaded === null ? null : headline(loaded.curves);
  return (
    <Frame
      answer={all?.length === 0 ? texts.none : (beyond ?? texts.of(name))}
      more={beyond === null ? '' : `${name}.`}
      back={{ to: { place: 'machine', machineId }, label: name }}
    >
      <PeriodChoice machineId={machineId} choice={choice} window={window} />
      <NameChoice machineId={machineId} choice={choice} all={all ?? []} />
      {loaded !== null && (
        <>
          <Curves machineId={machineId} choice={choice} loaded={loaded} />
          <ScaleChoice machineId={machineId} choice={choice} curves={loaded.curves} />
          <p class="small dim">{texts.meaning}</p>
        </>
      )}
    </Frame>
  );
}

/** The curve that was beyond its limits last. */
function headline(curves: readonly Curve[]): string | null {
  const beyond = curves
    .flatMap((curve) => {
      const at = lastBeyond(curve);
      return at === null ? [] : [{ label: curve.label, at }];
    })
    .sort((one, other) => other.at.localeCompare(one.at))[0];
  return beyond === undefined ? null : words.value.variables.beyond(beyond.label, timeOrDay(beyond.at));
}
