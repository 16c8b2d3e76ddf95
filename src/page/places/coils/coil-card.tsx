import type { Coil } from '../../plant/coils.ts';
import { dateAndTime } from '../../show/format.ts';
import { measure, measured } from '../../show/measure.ts';
import { words } from '../../words/words.ts';

/** The data of a coil. */
export function CoilCard({ coil }: { readonly coil: Coil }) {
  const { coils: said, units } = words.value;
  const { gauge, color, materialType, widthIn, lengthRemainingFt, lengthStartFt, currentWeightLbs } = coil;
  const left = measured(lengthRemainingFt, 'ft');
  const weight = measured(currentWeightLbs, 'lb');
  const facts: readonly (readonly [string, string | null])[] = [
    [said.material, coil.materialCode],
    [said.description, coil.description],
    [said.heat, coil.heatNumber],
    [said.vendor, coil.vendorName],
    [said.purchaseOrder, coil.purchaseOrder],
    [said.cameIn, coil.dateIn === null ? null : dateAndTime(coil.dateIn)],
  ];
  return (
    <section class="pane stack" aria-label={coil.coilId}>
      <h2 class="h2">{coil.coilId}</h2>
      <p class="spec">
        <span>
          <b>
            {gauge === null ? '' : `${gauge} ${units.gauge}`} {color}
          </b>{' '}
          {materialType}
        </span>
        {widthIn !== null && (
          <span>
            <b class="num">{measure(widthIn, 'in', 4)}</b>
          </span>
        )}
      </p>
      <div class="counts counts-2">
        <div class="count">
          <span class="v">{left.text}</span>
          <span class="l">{said.left(left.unit, measured(lengthStartFt, 'ft').text)}</span>
        </div>
        <div class="count">
          <span class="v">{weight.text}</span>
          <span class="l">{weight.unit}</span>
        </div>
      </div>
      <dl class="facts">
        {facts.map(([name, value]) =>
          value === null ? null : (
            <div class="fact" key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ),
        )}
      </dl>
    </section>
  );
}
