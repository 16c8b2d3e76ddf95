import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useLayoutEffect } from 'preact/hooks';
import { onKeptBack } from '../../scan/wedge.ts';
import { Icon } from '../../show/icon.tsx';
import { words } from '../../words/words.ts';

const DIGITS = 4;
const KEYS = ['1', '2', '3', '4', '5', '6', '7', '8', '9'];

interface KeypadProps {
  readonly name: string;
  readonly onPin: (pin: string) => Promise<unknown>;
}

/** Takes a PIN of four digits, by large keys for gloves or by a keyboard. The fourth digit sends it. */
export function Keypad({ name, onPin }: KeypadProps) {
  const typed = useSignal('');
  const { panel: said } = words.value;
  const press = async (digit: string) => {
    if (typed.value.length >= DIGITS) return;
    typed.value += digit;
    if (typed.value.length < DIGITS) return;
    await onPin(typed.value);
    typed.value = '';
  };
  const deleteOne = () => {
    typed.value = typed.value.slice(0, -1);
  };
  // A layout effect listens at once. Otherwise a busy browser would lose the first digit.
  useLayoutEffect(() => {
    const hear = ({ key, defaultPrevented }: KeyboardEvent) => {
      // The listener for scans has taken this key: it belongs to a badge, not to a PIN.
      if (defaultPrevented) return;
      if (/^[0-9]$/.test(key)) void press(key);
      if (key === 'Backspace') deleteOne();
    };
    document.addEventListener('keydown', hear);
    const leave = onKeptBack((keys) => {
      if (keys === null) typed.value = '';
      else for (const key of keys.replace(/[^0-9]/g, '')) void press(key);
    });
    return () => {
      document.removeEventListener('keydown', hear);
      leave();
    };
  });
  return (
    <section class="stack" aria-labelledby="pin-of">
      <h3 class="h3" id="pin-of">
        {said.pinOf(name)}
      </h3>
      <div class="pins" role="img" aria-label={said.digits(typed.value.length)}>
        {Array.from({ length: DIGITS }, (_, place) => (
          <i key={place} class={place < typed.value.length ? 'on' : ''} />
        ))}
      </div>
      <div class="keypad">
        {KEYS.map((key) => (
          <Key key={key} label={key} onPress={() => void press(key)}>
            {key}
          </Key>
        ))}
        <Key label={said.clear} onPress={() => (typed.value = '')}>
          <Icon name="close" />
        </Key>
        <Key label="0" onPress={() => void press('0')}>
          0
        </Key>
        <Key label={said.deleteOne} onPress={deleteOne}>
          <Icon name="back" />
        </Key>
      </div>
    </section>
  );
}

interface KeyProps {
  readonly label: string;
  readonly onPress: () => void;
  readonly children: ComponentChildren;
}

function Key({ label, onPress, children }: KeyProps) {
  return (
    <button type="button" class="btn" aria-label={label} onClick={onPress}>
      {children}
    </button>
  );
}
