import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { SystemView } from '../../../flows/local-api/system-ports.ts';
import { call } from '../../api/call.ts';
import { isDone } from '../../app/tell-outcome.ts';
import { words } from '../../words/words.ts';

/** The version that runs, and how another is installed: only root may replace the program. */
export function UpdateHint() {
  const version = useSignal<string | null>(null);
  const load = async () => {
    const outcome = await call<SystemView>('GET', '/system');
    if (isDone(outcome)) version.value = outcome.value.version;
  };
  useEffect(() => void load(), []);
  const { admin: said } = words.value;
  if (version.value === null) return null;
  return (
    <p class="dim">
      {said.updateHint(version.value)} <code>sudo plantgate update FILE</code> {said.updateByPackage}{' '}
      <code>sudo apt install ./FILE.deb</code>
    </p>
  );
}
