import { words } from '../../words/words.ts';
import { RemoveButton } from './remove-button.tsx';

/** Takes a key away, of a program or of a panel. It cannot be given back: its text is stored nowhere. */
export function RevokeKey({ id, principal }: { readonly id: string; readonly principal: string }) {
  return (
    <td class="right">
      <RemoveButton kind="apiKeys" id={id} name={principal} label={words.value.admin.revoke} class="btn btn-plain" />
    </td>
  );
}
