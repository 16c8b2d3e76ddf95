import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import type { UpdateView } from '../../../../flows/update/update-ports.ts';
import { Icon } from '../../../show/icon.tsx';
import { words } from '../../../words/words.ts';

/** The actions of a person. */
export type Act = { readonly kind: 'send'; readonly file: File } | { readonly kind: 'stop' | 'discard' | 'install' };

interface StageProps {
  readonly view: UpdateView;
  /** The share of the archive that this page has sent; null while it sends nothing. */
  readonly share: number | null;
  readonly onAct: (act: Act) => void;
}

/** The progress of the update, and the next step. */
export function Stage({ view: { version, upload }, share, onAct }: StageProps) {
  const { update: texts } = words.value.admin;
  const choose = <Choose onChosen={(file) => onAct({ kind: 'send', file })} />;
  if (share !== null && share < 1) {
    return (
      <Verdict icon="restart" title={texts.sending(Math.floor(share * 100))} hint={texts.sendingHint} isCounting>
        <button type="button" class="btn btn-start" onClick={() => onAct({ kind: 'stop' })}>
          {texts.stop}
        </button>
      </Verdict>
    );
  }
  if (share !== null || upload.state === 'verifying') {
    return <Verdict icon="restart" title={texts.verifying} hint={texts.verifyingHint} />;
  }
  const sent = upload.version ?? '';
  switch (upload.state) {
    case 'ready':
      return (
        <Verdict icon="check-ring" title={texts.ready(sent)} hint={texts.readyHint(version)}>
          <button type="button" class="btn btn-start" onClick={() => onAct({ kind: 'discard' })}>
            {texts.discard}
          </button>
          <button type="button" class="btn btn-main btn-start" onClick={() => onAct({ kind: 'install' })}>
            {texts.install(sent)}
          </button>
        </Verdict>
      );
    case 'requested':
      return <Verdict icon="restart" title={texts.installing(sent)} hint={texts.installingHint} />;
    case 'untaken':
      return (
        <Verdict icon="warn-line" title={texts.untaken} hint={texts.untakenHint} command="sudo plantgate update FILE">
          {choose}
        </Verdict>
      );
    default:
      return (
        <Verdict icon="restart" title={texts.runs(version)} hint={texts.chooseHint}>
          {choose}
        </Verdict>
      );
  }
}

/** The version, and the command by which another is installed on the gateway's computer. */
export function Obstacle({ version, isPackage }: { readonly version: string; readonly isPackage: boolean }) {
  const { update: texts } = words.value.admin;
  const hint = isPackage ? texts.byPackage : texts.byHand;
  const command = isPackage ? 'sudo apt install ./FILE.deb' : 'sudo plantgate update FILE';
  return <Verdict icon="restart" title={texts.runs(version)} hint={hint} command={command} />;
}

interface VerdictProps {
  readonly icon: string;
  readonly title: string;
  readonly hint: string;
  readonly command?: string;
  /** Screen readers do not read it, because it changes all the time. */
  readonly isCounting?: boolean;
  readonly children?: ComponentChildren;
}

function Verdict({ icon, title, hint, command, isCounting = false, children }: VerdictProps) {
  return (
    <div class="verdict" role="status" aria-live={isCounting ? 'off' : 'polite'}>
      <Icon name={icon} />
      <div class="grow">
        {title}
        <div class="dim normal small">
          {hint} {command !== undefined && <code>{command}</code>}
        </div>
      </div>
      {children}
    </div>
  );
}

function Choose({ onChosen }: { readonly onChosen: (file: File) => void }) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <input
        type="file"
        accept=".update"
        hidden
        ref={input}
        onChange={({ currentTarget }) => {
          const [file] = currentTarget.files ?? [];
          currentTarget.value = '';
          if (file !== undefined) onChosen(file);
        }}
      />
      <button type="button" class="btn btn-start" onClick={() => input.current?.click()}>
        {words.value.admin.update.choose}
      </button>
    </>
  );
}
