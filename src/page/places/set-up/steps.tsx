import { Icon } from '../../show/icon.tsx';
import { words } from '../../words/words.ts';

/** The steps of the first run. `here` is the index of the present one. */
export function Steps({ here }: { readonly here: number }) {
  const { steps } = words.value.setUp;
  return (
    <ol class="steps">
      {steps.map((step, place) => (
        <li
          key={step}
          class={place < here ? 'done' : place === here ? 'here' : 'todo'}
          aria-current={place === here ? 'step' : undefined}
        >
          {place < here && <Icon name="check" />}
          {step}
        </li>
      ))}
    </ol>
  );
}
