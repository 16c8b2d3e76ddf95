import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { UpdateOutcome } from '../../../../domain/update/update-outcome.ts';
import type { UpdateView } from '../../../../flows/update/update-ports.ts';
import { call, type Outcome } from '../../../api/call.ts';
import { isDone } from '../../../app/tell-outcome.ts';
import { timeOrDate } from '../../../show/format.ts';
import { Icon } from '../../../show/icon.tsx';
import { words } from '../../../words/words.ts';
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

/** The outcome of the last update that was requested at the page. */
function OutcomeNote({ outcome }: { readonly outcome: UpdateOutcome }) {
  const { result, from, to, reason, at } = outcome;
  const { update: texts } = words.value.admin;
  const sentence = texts.outcome[result](timeOrDate(at), from, to ?? texts.unknownVersion);
  if (result === 'installed' || result === 'underWay') return <p class="dim">{sentence}</p>;
  return (
    <div class="knock" role="status">
      <Icon name="warn-line" />
      <div>
        <b class="h3">{sentence}</b>
        <br />
        <span>{reason}</span>
      </div>
    </div>
  );
}

const PIECE_BYTES = 262_144;
/** The number of pieces that may fail one after the other: the network may break for a moment. */
const MAX_FAILURES = 10;
const PAUSE_MS = 1_000;
/** The whole archive is read from the disk. */
const VERIFY_TIMEOUT_MS = 5 * 60_000;

/** A person watches the upload, and may stop it. */
interface Sending {
  readonly onSent: (bytes: number) => void;
  readonly isWanted: () => boolean;
}

/**
 * Sends an archive in pieces and has it verified. After a break it goes on where the gateway stands. Null if the person
 * does not want it any more.
 */
async function sendArchive(file: File, { onSent, isWanted }: Sending): Promise<Outcome<UpdateView> | null> {
  const begun = await call<{ readonly uploadId: string }>('POST', '/update/upload', { bytes: file.size });
  if (begun.kind !== 'done') return begun;
  const upload = `/update/upload/${begun.value.uploadId}`;
  let failures = 0;
  for (let sent = 0; sent < file.size; ) {
    if (!isWanted()) {
      await call('DELETE', '/update/upload');
      return null;
    }
    const piece = file.slice(sent, sent + PIECE_BYTES, 'application/octet-stream');
    const outcome = await call('PUT', `${upload}?offset=${sent}`, piece);
    if (outcome.kind === 'done') {
      sent += piece.size;
      failures = 0;
    } else {
      failures++;
      if (failures > MAX_FAILURES || (outcome.kind === 'refused' && outcome.status !== 409)) return outcome;
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
      const standing = await call<UpdateView>('GET', '/update');
      if (standing.kind === 'done') sent = standing.value.upload.receivedBytes;
    }
    onSent(sent);
  }
  return call('POST', `${upload}/verify`, undefined, VERIFY_TIMEOUT_MS);
}
