import { REASON_ICONS } from '../../../domain/plant/plant.ts';
import { Icon } from '../../show/icon.tsx';
import { words } from '../../words/words.ts';

/** The icons that a reason can have, as pictures; without one the page chooses by the words of the reason. */
export function IconChoice() {
  const { icon, iconByWords, icons } = words.value.admin;
  return (
    <fieldset class="field icon-choice">
      <legend class="lab">{icon}</legend>
      <label class="icon-auto">
        <input class="sr" type="radio" name="icon" value="" defaultChecked />
        {iconByWords}
      </label>
      {REASON_ICONS.map((name) => (
        <label key={name} title={icons[name]}>
          <input class="sr" type="radio" name="icon" value={name} />
          <Icon name={name} />
          <span class="sr">{icons[name]}</span>
        </label>
      ))}
    </fieldset>
  );
}
