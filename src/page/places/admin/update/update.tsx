import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { UpdateView } from '../../../../flows/update/update-ports.ts';
import { call } from '../../../api/call.ts';
import { isDone } from '../../../app/tell-outcome.ts';
import { words } from '../../../words/words.ts';
import { OutcomeNote } from './outcome-note.tsx';
import { sendArchive } from './send-archive.ts';
import { type Act, Obstacle, Stage } from './stage.tsx';

const POLL_MS = 2_000;

/** The version that runs. Another is sent here as a signed file, verified, and installed by root. */
export function Update() {
  const view = useSignal<UpdateView | null>(null);
  /** The share that this page has sent; null while it sends nothing. */
  const share = useSignal<number | null>(null);
  const isWanted = useRef(true);
  /** The version that this page came from. */
  const pageVersion = useRef<string | null>(null);
  const load = async () => {
    const outcome = await call<UpdateView>('GET', '/update');
    // `isDone` shows a refusal at the first load only. Later no answer may come, because the gateway restarts.
    if (view.value === null) isDone(outcome);
    if (outcome.kind !== 'done') return;
    view.value = outcome.value;
    pageVersion.current ??= outcome.value.version;
  };
  const send = async (file: File) => {
    isWanted.current = true;
    share.value = 0;
    const onSent = (bytes: number) => {
      share.value = bytes / file.size;
    };
    const outcome = await sendArchive(file, { onSent, isWanted: () => isWanted.current });
    share.value = null;
    // `isDone` shows a refusal.
    if (outcome !== null) isDone(outcome);
    await load();
  };
  const act = async (wanted: Act) => {
    if (wanted.kind === 'send') return send(wanted.file);
    if (wanted.kind === 'stop') {
      isWanted.current = false;
      return;
    }
    const { kind } = wanted;
    const install = () => call('POST', '/update/install', { version: view.value?.upload.version ?? '' });
    // `isDone` shows a refusal. Without an answer the loaded state shows whether it was done.
    isDone(await (kind === 'install' ? install() : call('DELETE', '/update/upload')));
    await load();
  };
  useEffect(() => void load(), []);
  const state = view.value?.upload.state;
  const isWaiting = state === 'verifying' || state === 'requested' || view.value?.outcome?.result === 'underWay';
  useEffect(() => {
    if (!isWaiting) return;
    const timer = setInterval(() => void load(), POLL_MS);
    return () => clearInterval(timer);
  }, [isWaiting]);
  if (view.value === null) return null;
  const { version, obstacle, upload, outcome } = view.value;
  // An earlier outcome says nothing about an update that is on its way.
  const isTold = outcome?.result === 'underWay' || (upload.state === 'none' && share.value === null);
  return (
    <section class="stack" aria-label={words.value.admin.update.title}>
      {obstacle === null ? (
        <Stage view={view.value} share={share.value} onAct={(wanted) => void act(wanted)} />
      ) : (
        <Obstacle version={version} isPackage={obstacle === 'package'} />
      )}
      {outcome !== null && isTold && <OutcomeNote outcome={outcome} />}
      {version !== pageVersion.current && <LoadPage />}
    </section>
  );
}

/** Loads the page of the new version that runs now. */
function LoadPage() {
  return (
    <button type="button" class="btn btn-main btn-start" onClick={() => location.reload()}>
      {words.value.admin.update.loadPage}
    </button>
  );
}
