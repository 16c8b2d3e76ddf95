import { signal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { useEffect } from 'preact/hooks';
import { onEvent } from '../api/live.ts';
import { Frame } from '../app/frame.tsx';
import { words } from '../words/words.ts';

interface LaterPlace<Props> {
  /** The place, or what is shown until its code is there. */
  readonly View: ComponentType<Props>;
  /** Loads its code, so that it can be opened later while the gateway is away. */
  readonly load: () => void;
}

/** A place whose code is in a file of its own. If that does not come, it is asked for again when the line is open again. */
export function laterPlace<Props extends object>(code: () => Promise<ComponentType<Props>>): LaterPlace<Props> {
  const loaded = signal<{ readonly Place: ComponentType<Props> } | 'waits' | 'failed'>('waits');
  let isAsked = false;
  const load = () => {
    if (isAsked) return;
    isAsked = true;
    code().then(
      (Place) => {
        loaded.value = { Place };
      },
      () => {
        isAsked = false;
        loaded.value = 'failed';
      },
    );
  };
  const View = (props: Props) => {
    useEffect(() => {
      load();
      return onEvent('reset', load);
    }, []);
    const { value } = loaded;
    if (typeof value !== 'string') return <value.Place {...props} />;
    const { trouble } = words.value;
    if (value === 'waits') return <Frame answer={trouble.waits}>{null}</Frame>;
    return (
      <Frame answer={trouble.notLoaded} more={trouble.notLoadedHint}>
        <button type="button" class="btn btn-main btn-start" onClick={() => location.reload()}>
          {trouble.loadAgain}
        </button>
      </Frame>
    );
  };
  return { View, load };
}
