import { words } from '../../words/words.ts';
import { removeRecord } from './use-records.ts';

/** Takes a key away, of a program or of a panel. It cannot be given back: its text is stored nowhere. */
export function RevokeKey({ id, principal }: { readonly id: string; readonly principal: string }) {
  return (
    <td class="right">
      <button type="button" class="btn btn-plain" onClick={() => void removeRecord('apiKeys', id, null)}>
        {words.value.admin.revoke}
        <span class="sr"> {principal}</span>
      </button>
    </td>
  );
}
