import type { SettingsSection } from '../../../flows/settings/settings-ports.ts';
import { Icon } from '../../show/icon.tsx';
import { words } from '../../words/words.ts';

/** Says that the configuration file or the environment sets a section, so that it cannot be changed here. */
export function FixedNote({ section }: { readonly section: SettingsSection }) {
  return (
    <p class="note-line">
      <Icon name="lock" />
      <span>{words.value.setUp.fixed(section)}</span>
    </p>
  );
}
