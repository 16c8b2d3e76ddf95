import type { SumsView } from '../../../flows/production/production-views.ts';
import { workTime } from '../../show/format.ts';
import { words } from '../../words/words.ts';

/** The parts of planned time, in the order of the bar, each with its fill. */
const PARTS = [
  ['running', 'runningSeconds', 'f-run'],
  ['plannedStop', 'plannedStopSeconds', 'f-plan'],
  ['shortStop', 'shortStopSeconds', 'f-short'],
  ['unplannedStop', 'unplannedStopSeconds', 'f-down'],
  ['fault', 'faultSeconds', 'url(#p-fault)'],
  ['offline', 'offlineSeconds', 'url(#p-off)'],
] as const satisfies readonly (readonly [string, keyof SumsView, string])[];

/** Where the planned time went, as one bar. Its words say the same. */
export function TimeMix({ sums }: { readonly sums: SumsView }) {
  const { parts } = words.value.production;
  const total = PARTS.reduce((sum, [, field]) => sum + sums[field], 0);
  if (total === 0) return null;
  let from = 0;
  const bars = PARTS.map(([name, field, fill]) => {
    const bar = { name, fill, from: (from / total) * 100, width: (sums[field] / total) * 100 };
    from += sums[field];
    return bar;
  });
  const label = PARTS.filter(([, field]) => sums[field] >= 1)
    .map(([name, field]) => `${parts[name]} ${workTime(sums[field])}`)
    .join(', ');
  return (
    <svg class="mix" role="img" aria-label={label}>
      {bars.map(({ name, fill, from: x, width }) => (
        <Fill key={name} fill={fill} x={x} width={width} />
      ))}
    </svg>
  );
}

function Fill({ fill, x, width }: { readonly fill: string; readonly x: number; readonly width: number }) {
  if (width <= 0) return null;
  const place = { x: `${x}%`, width: `${width}%`, height: '100%' };
  return fill.startsWith('url') ? <rect {...place} fill={fill} /> : <rect {...place} class={fill} />;
}

/** The meaning of the fills. */
export function TimeKey() {
  const { parts } = words.value.production;
  return (
    <p class="key" aria-hidden="true">
      {PARTS.map(([name, , fill]) => (
        <span key={name}>
          <svg aria-hidden="true">
            <Fill fill={fill} x={0} width={100} />
          </svg>
          {parts[name]}
        </span>
      ))}
    </p>
  );
}

/** Patterns that charts fill with; an SVG element must be in the document once. */
export function Patterns() {
  return (
    <svg class="sprite" aria-hidden="true">
      <pattern id="p-fault" width="6" height="6" patternUnits="userSpaceOnUse">
        <path class="p-b" d="M0 0h6v6H0z" />
        <path class="p-d" d="M0 0h3v6H0z" />
      </pattern>
      <pattern id="p-off" width="10" height="10" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
        <path class="p-h1" d="M0 0h10v10H0z" />
        <path class="p-h2" d="M2 0v10" stroke-width="3" />
      </pattern>
      <pattern id="p-setup" width="7" height="7" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
        <path class="p-b" d="M0 0h7v7H0z" />
        <path class="p-s" d="M1.5 0v7" stroke-width="3" />
      </pattern>
      <pattern id="p-staff" width="7" height="7" patternUnits="userSpaceOnUse">
        <path class="p-b" d="M0 0h7v7H0z" />
        <circle class="p-d" cx="3.5" cy="3.5" r="1.8" />
      </pattern>
    </svg>
  );
}
