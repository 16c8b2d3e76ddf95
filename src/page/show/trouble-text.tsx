import { words } from '../words/words.ts';

interface TroubleTextProps {
  readonly kind: string;
  readonly meantFor: string | null;
  /** The gateway's own words, which are English. */
  readonly details: readonly string[];
}

/** A trouble in the language of the page, and below it the gateway's own words. */
export function TroubleText({ kind, meantFor, details }: TroubleTextProps) {
  const explained = words.value.sync.explain(kind, meantFor);
  return (
    <>
      {explained !== '' && <p>{explained}</p>}
      {details.map((detail) => (
        <p key={detail} class={explained === '' ? undefined : 'dim small'} lang="en">
          {detail}
        </p>
      ))}
    </>
  );
}
