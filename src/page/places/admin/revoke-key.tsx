import { words } from '../../words/words.ts';
import { RemoveButton } from './remove-button.tsx';

interface RevokeKeyProps {
  readonly id: string;
  readonly principal: string;
  readonly means: 'apiKeys' | 'panels';
}

/** Takes a key away, of a program or of a panel. It cannot be given back: its text is stored nowhere. */
export function RevokeKey({ id, principal, means }: RevokeKeyProps) {
  const { revoke } = words.value.admin;
  return (
    <td class="right">
      <RemoveButton kind="apiKeys" id={id} name={principal} means={means} label={revoke} class="btn btn-plain" />
    </td>
  );
}
