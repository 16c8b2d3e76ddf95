import type { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Config } from '../../../config/config-schema.ts';
import { firstToExpire } from '../../../config/first-to-expire.ts';
import { errorMessage } from '../../../domain/error-text.ts';
import { DAY_MS } from '../../../domain/time.ts';
import { type Finding, fault, ok, warning } from './finding.ts';

const SOON_DAYS = 30;

/** Checks the expiry of each certificate. checkFiles says whether the files can be read and belong together. */
export function checkCertificates({ http, mqtt }: Config, now: Date): readonly Promise<Finding>[] {
  const files = { 'http.tls.cert': http.tls?.cert, 'mqtt.tls.cert': mqtt.tls?.cert, 'mqtt.tls.ca': mqtt.tls?.ca };
  return Object.entries(files).flatMap(([setting, file]) => (file === undefined ? [] : [check(setting, file, now)]));
}

async function check(setting: string, file: string, now: Date): Promise<Finding> {
  try {
    return judged(setting, firstToExpire(await readFile(file)), now);
  } catch (error) {
    return fault(setting, `${file} cannot be read: ${errorMessage(error)}`, 'Give the gateway a PEM file it may read.');
  }
}

function judged(setting: string, { validFrom, validTo }: X509Certificate, now: Date): Finding {
  const days = Math.floor((Date.parse(validTo) - now.getTime()) / DAY_MS);
  const remedy = 'Put a new certificate in its place, then "systemctl reload plantgate".';
  if (Date.parse(validFrom) > now.getTime()) {
    return fault(setting, `not valid before ${validFrom}`, 'Set the clock, or get a certificate that is valid now.');
  }
  if (days < 0) return fault(setting, `expired on ${validTo}`, remedy);
  const found = `valid for ${days} more days, until ${validTo}`;
  return days < SOON_DAYS ? warning(setting, found, remedy) : ok(setting, found);
}
