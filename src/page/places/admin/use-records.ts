import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { call } from '../../api/call.ts';
import { onEvent } from '../../api/live.ts';
import { isDone } from '../../app/tell-outcome.ts';
import { showDone } from '../../app/toast.ts';
import { useShown } from '../../show/use-shown.ts';
import { words } from '../../words/words.ts';

/** Records of one kind of the plant; loaded again when the plant changes. Null: not loaded, or not permitted. */
export function useRecords<T>(kind: string): { readonly records: readonly T[] | null; readonly reload: () => void } {
  const records = useSignal<readonly T[] | null>(null);
  const isShown = useShown();
  const load = async () => {
    const outcome = await call<readonly T[]>('GET', `/plant/${kind}`);
    if (isShown() && isDone(outcome)) records.value = outcome.value;
  };
  useEffect(() => {
    void load();
    const leave = [onEvent('plant', () => void load()), onEvent('reset', () => void load())];
    return () => {
      for (const stop of leave) stop();
    };
  }, [kind]);
  return { records: records.value, reload: () => void load() };
}

/** Takes a record away, and offers it back where its whole content is known. True: it is away. */
export async function removeRecord(kind: string, id: string, record: object | null): Promise<boolean> {
  if (!isDone(await call('DELETE', `/plant/${kind}/${encodeURIComponent(id)}`))) return false;
  showDone(
    words.value.admin.removed(id),
    '',
    record === null ? null : () => call('POST', `/plant/${kind}`, record).then(isDone),
  );
  return true;
}
