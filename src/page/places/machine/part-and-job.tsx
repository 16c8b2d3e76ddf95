import type { Machine } from '../../plant/shown-state.ts';
import { Link } from '../../show/link.tsx';
import { words } from '../../words/words.ts';

/** The machine's part, job and operator. */
export function PartAndJob({ machine: { machineId, part, status } }: { readonly machine: Machine }) {
  const { part: title, changePart, choosePart } = words.value.machine;
  const isNamed = part !== null && part.partName !== null && part.partName !== part.partId;
  const about = [isNamed ? part.partId : null, status?.jobNumber, status?.userId].filter(
    (one) => one !== undefined && one !== null,
  );
  return (
    <section class="pane" aria-label={title}>
      <div class="row row-flat">
        <div class="grow">
          <span class="small dim">{title}</span>
          <br />
          <b class="h3">{part?.partName ?? part?.partId ?? words.value.andon.noPart}</b>
          <br />
          <span class="dim">{about.join(' · ')}</span>
        </div>
        <Link to={{ place: 'part', machineId }} class="btn">
          {part === null ? choosePart : changePart}
        </Link>
      </div>
    </section>
  );
}
