import type { Fault } from '../app/tell-outcome.ts';
import { Icon } from './icon.tsx';

/** Why an act was not done, at the place of the act; the gateway's own words below. */
export function FaultLine({ fault: { text, more } }: { readonly fault: Fault }) {
  return (
    <p class="err" role="alert">
      <Icon name="held" />
      <span>
        {text}
        {more !== '' && (
          <>
            <br />
            <span class="dim normal">{more}</span>
          </>
        )}
      </span>
    </p>
  );
}
