import type { Machine } from '../../plant/shown-state.ts';
import { Icon } from '../../show/icon.tsx';

/** A machine, and the message of the rule that holds it. */
export interface MessageProps {
  readonly machine: Machine;
  readonly message: string;
}

interface SaidProps {
  readonly icon: string;
  readonly message: string;
  readonly since: string;
}

/** The message of a rule to the letter, and the time since when it holds the machine. */
export function Said({ icon, message, since }: SaidProps) {
  return (
    <div class="said">
      <Icon name={icon} />
      <div>
        <p class="msg">{message}</p>
        <p class="since">{since}</p>
      </div>
    </div>
  );
}
