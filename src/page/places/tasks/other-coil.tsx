import { Sheet } from '../../app/sheet.tsx';
import type { Coil } from '../../plant/coils.ts';
import { reasonCodes, type Task } from '../../plant/tasks.ts';
import { Icon } from '../../show/icon.tsx';
import { measure } from '../../show/measure.ts';
import { words } from '../../words/words.ts';

interface OtherCoilProps {
  readonly task: Task;
  readonly coil: Coil;
  readonly onClose: () => void;
  /** Goes on with this coil, for this reason. Without preferred coils none is asked. */
  readonly onReason: (coilId: string, reason: string | null) => void;
}

/** Another coil than the preferred one: how it differs, and why this one. */
export function OtherCoil({ task, coil, onClose, onReason }: OtherCoilProps) {
  const { tasks: said } = words.value;
  const isAnyPreferred = task.preferredCoilIds.length > 0;
  const reasons = reasonCodes.value.filter(({ codeSet }) => codeSet === 'OverrideReasons');
  return (
    <Sheet title={isAnyPreferred ? said.otherCoil(coil.coilId) : coil.coilId} onClose={onClose}>
      <Comparison task={task} coil={coil} />
      {isAnyPreferred && reasons.length > 0 ? (
        <>
          <p class="bold">{said.whyThis}</p>
          <div class="reasons">
            {reasons.map(({ id, reason }) => (
              <button type="button" class="reason" key={id} onClick={() => onReason(coil.coilId, id)}>
                <Icon name="coil-x" />
                <span>{reason}</span>
              </button>
            ))}
          </div>
        </>
      ) : (
        <button type="button" class="btn btn-wide" onClick={() => onReason(coil.coilId, null)}>
          {said.takeThis}
        </button>
      )}
      <button type="button" class="btn btn-main btn-wide" onClick={onClose}>
        <Icon name="scan" />
        {said.scanAnother}
      </button>
    </Sheet>
  );
}

function Comparison({ task: { coilType, requiredFt }, coil }: Pick<OtherCoilProps, 'task' | 'coil'>) {
  const { tasks: said, units } = words.value;
  const kindOf = (gauge: number | null, color: string | null) =>
    [gauge === null ? '' : `${gauge} ${units.gauge}`, color ?? ''].join(' ').trim();
  const width = (inches: number | null) => measure(inches, 'in', 4);
  const length = (feet: number | null) => measure(feet, 'ft');
  const left = coil.lengthRemainingFt;
  return (
    <table class="table">
      <thead>
        <tr>
          <th>
            <span class="sr">{said.ofTheCoil}</span>
          </th>
          <th>{said.wanted}</th>
          <th>{said.scanned}</th>
        </tr>
      </thead>
      <tbody>
        <Row of={said.type} wanted={kindOf(coilType.gauge, coilType.color)} scanned={kindOf(coil.gauge, coil.color)} />
        <Row of={said.width} wanted={width(coilType.widthIn)} scanned={width(coil.widthIn)} />
        <tr>
          <td class="dim">{said.leftOnIt}</td>
          <td class="num">{said.atLeast(length(requiredFt))}</td>
          <td class={left !== null && left < requiredFt ? 'bold num' : 'num'}>{length(left)}</td>
        </tr>
      </tbody>
    </table>
  );
}

function Row({ of, wanted, scanned }: { readonly of: string; readonly wanted: string; readonly scanned: string }) {
  const differs = wanted !== scanned;
  return (
    <tr>
      <td class="dim">{of}</td>
      <td class="num">{wanted}</td>
      <td class={differs ? 'bold num' : 'num'}>
        {differs && <Icon name="warn-line" />} {scanned}
      </td>
    </tr>
  );
}
