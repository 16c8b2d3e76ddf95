import { useEffect } from 'preact/hooks';
import { onEvent } from '../../api/live.ts';
import { mayRead } from '../../people/who.ts';
import { Icon } from '../../show/icon.tsx';
import { words } from '../../words/words.ts';
import { loadSettings, settings } from './settings.ts';

/** Chosen settings count from the next start on. Only administrators choose and see them. */
export function RestartNote() {
  const maySee = mayRead('admin');
  useEffect(() => {
    if (!maySee) return;
    void loadSettings();
    // After the restart the line is opened again.
    return onEvent('reset', loadSettings);
  }, [maySee]);
  if (settings.value?.restartNeeded !== true) return null;
  const { by, command } = settings.value.restart;
  const { setUp: texts } = words.value;
  return (
    <section class="knock" role="status" aria-label={texts.restart}>
      <Icon name="restart" />
      <div>
        <b class="h3">{texts.restart}</b>
        <br />
        <span>
          {texts.restartHint} {texts.restartBy[by]} {command !== null && <code>{command}</code>}
        </span>
      </div>
    </section>
  );
}
