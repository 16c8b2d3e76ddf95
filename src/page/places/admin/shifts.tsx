import { showToast } from '../../app/toast.ts';
import { words } from '../../words/words.ts';
import { useDraft } from '../set-up/settings.ts';
import { isLoaded, SettingsForm } from '../set-up/settings-form.tsx';

/** When shifts begin, and where the central server is. */
export function Shifts() {
  const draft = useDraft();
  const { setUp: said } = words.value;
  if (!isLoaded(draft)) return null;
  const tell = () => showToast({ text: said.kept, more: '', isRefusal: false, undo: null });
  return <SettingsForm draft={draft} submit={said.keep} onDone={tell} />;
}
