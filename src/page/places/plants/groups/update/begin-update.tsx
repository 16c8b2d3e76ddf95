import { useSignal } from '@preact/signals';
import type { FleetArchive } from '../../../../../flows/fleet-update/fleet-update-ports.ts';
import { call, type Outcome } from '../../../../api/call.ts';
import { Sheet } from '../../../../app/sheet.tsx';
import { isDone } from '../../../../app/tell-outcome.ts';
import { useResource } from '../../../../app/use-resource.ts';
import { RefusalNote } from '../../../../form/field-fault.tsx';
import { refusalOf, useRefusal } from '../../../../form/refusal.ts';
import { fleetWords } from '../../fleet-words.ts';
import { type GroupView, pathOfGroup } from '../use-groups.ts';

const ARCHIVES = '/fleet/archives';
const UPLOAD = `${ARCHIVES}/upload`;
/** The server takes no larger piece. */
const PIECE_BYTES = 262_144;
/** How often one piece is sent again: the network may break for a moment. */
const MAX_FAILURES = 10;
const PAUSE_MS = 1_000;
/** The whole archive is read from the disk. */
const VERIFY_TIMEOUT_MS = 5 * 60_000;

interface BeginUpdateProps {
  readonly group: GroupView;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

/** Begins an update of a group: which archive, which gateway first, and how many at once then. */
export function BeginUpdate({ group, onClose, onDone }: BeginUpdateProps) {
  const isBusy = useSignal(false);
  const loads = useSignal(0);
  const refusal = useRefusal<HTMLFormElement>();
  const { updates: texts } = fleetWords.value;
  const archives = useResource<readonly FleetArchive[]>(`archives ${loads.value}`, () => call('GET', ARCHIVES));
  const begin = async (event: SubmitEvent) => {
    event.preventDefault();
    if (!(event.currentTarget instanceof HTMLFormElement)) return;
    const typed = new FormData(event.currentTarget);
    const canary = String(typed.get('canary') ?? '');
    const body = {
      archiveId: String(typed.get('archive') ?? ''),
      canaries: canary === '' ? [] : [canary],
      atOnce: Number(typed.get('atOnce')),
    };
    isBusy.value = true;
    const outcome = await call('POST', `${pathOfGroup(group)}/update`, body);
    isBusy.value = false;
    const refused = refusalOf(outcome, []);
    refusal.tell(refused);
    if (refused === null && isDone(outcome)) onDone();
  };
  const has = archives.value !== null && archives.value.length > 0;
  return (
    <Sheet title={texts.begin} onClose={onClose} isHeldOpen={isBusy.value}>
      <SendFile isBusy={isBusy} onSent={() => (loads.value += 1)} />
      {archives.value?.length === 0 && <p class="dim">{texts.noArchives}</p>}
      {has && (
        <form class="stack" ref={refusal.form} onSubmit={(event) => void begin(event)}>
          <Choices group={group} archives={archives.value ?? []} />
          <p class="dim">{texts.beginMeans}</p>
          <RefusalNote refusal={refusal.shown} />
          <button type="submit" class="btn btn-main btn-wide" disabled={isBusy.value}>
            {texts.start}
          </button>
        </form>
      )}
    </Sheet>
  );
}

interface ChoicesProps {
  readonly group: GroupView;
  readonly archives: readonly FleetArchive[];
}

function Choices({ group, archives }: ChoicesProps) {
  const { updates: texts } = fleetWords.value;
  return (
    <>
      <div class="field">
        <label for="update-archive">{texts.archive}</label>
        <select id="update-archive" name="archive">
          {archives.map(({ archiveId, version, arch }) => (
            <option key={archiveId} value={archiveId}>
              {version} ({arch})
            </option>
          ))}
        </select>
      </div>
      <div class="field">
        <label for="update-canary">{texts.canary}</label>
        <select id="update-canary" name="canary">
          {group.gateways.map(({ gatewayId, name }) => (
            <option key={gatewayId} value={gatewayId}>
              {name ?? gatewayId}
            </option>
          ))}
          <option value="">{texts.noCanary}</option>
        </select>
      </div>
      <div class="field">
        <label for="update-at-once">{texts.atOnce}</label>
        <input id="update-at-once" name="atOnce" type="number" min={1} max={500} defaultValue="1" required />
      </div>
    </>
  );
}

interface SendFileProps {
  readonly isBusy: { value: boolean };
  readonly onSent: () => void;
}

function SendFile({ isBusy, onSent }: SendFileProps) {
  const share = useSignal<number | null>(null);
  const { updates: texts } = fleetWords.value;
  const send = async (file: File | undefined) => {
    if (file === undefined) return;
    isBusy.value = true;
    share.value = 0;
    const outcome = await sendArchive(file, (bytes) => {
      share.value = Math.floor((bytes / file.size) * 100);
    });
    share.value = null;
    isBusy.value = false;
    if (isDone(outcome)) onSent();
  };
  return (
    <div class="field">
      <label for="update-file">{texts.send}</label>
      <input
        id="update-file"
        type="file"
        accept=".update"
        disabled={isBusy.value}
        onChange={({ currentTarget }) => void send(currentTarget.files?.[0])}
      />
      <small class="hint">{share.value === null ? texts.sendHint : texts.sending(share.value)}</small>
    </div>
  );
}

/** Sends an archive for gateways in pieces, and has it verified. */
async function sendArchive(file: File, onSent: (bytes: number) => void): Promise<Outcome<unknown>> {
  const begun = await call<{ readonly uploadId: string }>('POST', UPLOAD, { bytes: file.size });
  if (begun.kind !== 'done') return begun;
  const upload = `${UPLOAD}/${encodeURIComponent(begun.value.uploadId)}`;
  for (let sent = 0; sent < file.size; sent += PIECE_BYTES) {
    const piece = file.slice(sent, sent + PIECE_BYTES, 'application/octet-stream');
    const outcome = await sendPiece(`${upload}?offset=${sent}`, piece);
    if (outcome.kind !== 'done') return outcome;
    onSent(Math.min(sent + PIECE_BYTES, file.size));
  }
  return call('POST', `${upload}/finish`, undefined, VERIFY_TIMEOUT_MS);
}

/** A piece whose answer was lost is there already when it comes again: that is a conflict. */
async function sendPiece(path: string, piece: Blob): Promise<Outcome<unknown>> {
  let outcome = await call('PUT', path, piece);
  for (let failures = 0; outcome.kind === 'noAnswer' && failures < MAX_FAILURES; failures += 1) {
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    outcome = await call('PUT', path, piece);
    if (outcome.kind === 'refused' && outcome.status === 409) return { kind: 'done', value: null };
  }
  return outcome;
}
