import { useMemo } from 'preact/hooks';
import { Sheet } from '../../app/sheet.tsx';
import { isDone } from '../../app/tell-outcome.ts';
import { isAnythingUnsaved } from '../../app/unsaved.ts';
import { type Asked, asked, askNothing } from '../../people/asked.ts';
import { end, onlyShows, signInAtPanel, who } from '../../people/who.ts';
import { words } from '../../words/words.ts';
import { PanelSignIn } from './panel-sign-in.tsx';
import { PasswordForm } from './sign-in.tsx';

/** The question of a panel, over the shown place, which stays as it is. */
export function WhoIsThere() {
  const present = asked.value;
  if (present.kind === 'nothing') return null;
  if (present.kind === 'another') return <Another key={present.name} asked={present} />;
  if (present.kind === 'ended') return <Ended />;
  return (
    <Sheet title={words.value.signIn.title} onClose={askNothing}>
      <PanelSignIn />
    </Sheet>
  );
}

/** The session ended by itself. Escape and back do not close the sheet while something unsaved lies under it. */
function Ended() {
  const isUnsaved = useMemo(isAnythingUnsaved, []);
  return (
    <Sheet title={words.value.signIn.title} onClose={end} isHeldOpen={isUnsaved}>
      <p class="dim">{words.value.signIn.ended}</p>
      <PasswordForm />
      {isUnsaved && (
        <button type="button" class="btn btn-wide" onClick={end}>
          {words.value.unsaved.leaveUnsaved}
        </button>
      )}
    </Sheet>
  );
}

/** The scan of another person's badge. */
function Another({ asked: { badge, name } }: { readonly asked: Extract<Asked, { readonly kind: 'another' }> }) {
  const { panel: said } = words.value;
  const present = who.value;
  const become = async () => {
    askNothing();
    isDone(await signInAtPanel({ badge }));
  };
  return (
    <Sheet title={said.anothers(name)} onClose={askNothing}>
      <p>{typeof present === 'string' || onlyShows(present) ? said.nobodyHint : said.anothersHint(present.name)}</p>
      <button type="button" class="btn btn-main btn-wide" onClick={() => void become()}>
        {said.become(name)}
      </button>
    </Sheet>
  );
}
