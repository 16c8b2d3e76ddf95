import { useSignal } from '@preact/signals';
import { call } from '../../api/call.ts';
import { isDone } from '../../app/tell-outcome.ts';
import { showToast } from '../../app/toast.ts';
import { Icon } from '../../show/icon.tsx';
import { words } from '../../words/words.ts';

/** The gateway waits for its log and for other servers. */
const PATIENCE_MS = 3 * 60_000;

/** The support bundle: a file for a person who helps from elsewhere. */
export function Support() {
  const isMaking = useSignal(false);
  const make = async () => {
    isMaking.value = true;
    const outcome = await call('POST', '/support-bundle', undefined, PATIENCE_MS);
    isMaking.value = false;
    if (!isDone(outcome)) return;
    const { bundleMade, bundleMadeHint } = words.value.admin;
    showToast({ text: bundleMade, more: bundleMadeHint, isRefusal: false, undo: null });
  };
  const { admin: said } = words.value;
  return (
    <section class="verdict" aria-label={said.bundle}>
      <Icon name="download" />
      <div class="grow">
        {said.bundle}
        <br />
        <span class="dim normal small">{said.bundleHint}</span>
      </div>
      <button type="button" class="btn btn-start" disabled={isMaking.value} onClick={() => void make()}>
        {isMaking.value ? said.makingBundle : said.makeBundle}
      </button>
    </section>
  );
}
