import { useSignal } from '@preact/signals';
import { isDone } from '../../app/tell-outcome.ts';
import { showDone } from '../../app/toast.ts';
import { hasOwnRecords, mayRead } from '../../people/who.ts';
import { loadPlant } from '../../plant/plant.ts';
import { starterReasons, takeReasons } from '../../plant/starter-reasons.ts';
import { Icon } from '../../show/icon.tsx';
import { words } from '../../words/words.ts';

/** Offers ten usual reasons where the plant has none: the first stop would hold its machine, and nobody could release it. */
export function StarterReasons() {
  const { starterReasons: texts, trouble } = words.value;
  const isBusy = useSignal(false);
  const reasons = starterReasons(texts);
  const take = async () => {
    isBusy.value = true;
    const isTaken = isDone(await takeReasons(reasons));
    isBusy.value = false;
    if (!isTaken) return;
    await loadPlant();
    showDone(texts.taken, texts.takenHint);
  };
  return (
    <section class="pane stack" aria-label={texts.title}>
      <h2 class="h3">{texts.title}</h2>
      <p class="dim">{texts.why}</p>
      <ul class="starter">
        {reasons.map(({ id, reason, icon }) => (
          <li key={id}>
            <Icon name={icon ?? 'downtime'} />
            {reason}
          </li>
        ))}
      </ul>
      {mayRead('supervisor') && hasOwnRecords() ? (
        <button type="button" class="btn btn-main btn-start" disabled={isBusy.value} onClick={() => void take()}>
          {texts.take}
        </button>
      ) : (
        <p class="bold">{trouble.asSupervisor}</p>
      )}
    </section>
  );
}
