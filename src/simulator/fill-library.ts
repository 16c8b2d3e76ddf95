import { SAMPLE_PROFILES } from './sample-profiles.ts';

export interface FillLibraryOptions {
  readonly httpUrl: string;
  /** A key with the rights of a business client. */
  readonly key: string;
  readonly log: (line: string) => void;
}

const REQUEST_TIMEOUT_MS = 5_000;

/** Sends the sample profiles to a gateway's library, one after the other, into its default catalog. */
export async function fillLibrary({ httpUrl, key, log }: FillLibraryOptions): Promise<void> {
  for (const profile of SAMPLE_PROFILES) {
    try {
      const answer = await fetch(`${httpUrl}/api/v1/profiles`, {
        method: 'POST',
        headers: { authorization: `ApiKey ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify(profile),
        signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
      });
      if (!answer.ok) log(`office  profile ${profile.profileName} was answered ${answer.status}`);
    } catch (error) {
      log(`office  could not send a profile: ${error instanceof Error ? error.message : String(error)}`);
      return;
    }
  }
}
