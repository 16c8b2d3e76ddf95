import { showToast } from '../../app/toast.ts';
import { words } from '../../words/words.ts';
import { isLoaded, SettingsForm } from '../set-up/set-up-place.tsx';
import { useDraft } from '../set-up/settings.ts';

/** When shifts begin, and where the central server is. */
export function Shifts() {
  const draft = useDraft();
  const { setUp: said } = words.value;
  if (!isLoaded(draft)) return null;
  const tell = () => showToast({ text: said.kept, more: '', isRefusal: false, undo: null });
  return <SettingsForm draft={draft} submit={said.keep} onDone={tell} />;
}
