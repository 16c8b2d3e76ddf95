import type { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Config } from '../../../config/config-schema.ts';
import { firstToExpire } from '../../../config/first-to-expire.ts';
import { errorMessage } from '../../../domain/error-text.ts';
import { DAY_MS } from '../../../domain/time.ts';
import { type Finding, fault, ok, warning } from './finding.ts';
import type { RunningGateway } from './running-gateway.ts';

const SOON_DAYS = 30;

/**
 * Checks the expiry of each certificate, and whether the running gateway has read the present one. checkFiles says
 * whether the files can be read and belong together.
 */
export function checkCertificates(
  { http, mqtt }: Config,
  running: Pick<RunningGateway, 'certificatesUntilMs'> | null,
  now: Date,
): readonly Promise<Finding>[] {
  const files = { 'http.tls.cert': http.tls?.cert, 'mqtt.tls.cert': mqtt.tls?.cert, 'mqtt.tls.ca': mqtt.tls?.ca };
  return Object.entries(files).flatMap(([setting, file]) => {
    return file === undefined ? [] : [check(setting, file, running?.certificatesUntilMs.get(setting), now)];
  });
}

async function check(setting: string, file: string, usedUntilMs: number | undefined, now: Date): Promise<Finding> {
  try {
    const certificate = firstToExpire(await readFile(file));
    const finding = judged(setting, certificate, now);
    const isUsed = usedUntilMs === undefined || usedUntilMs >= Date.parse(certificate.validTo);
    return isUsed || finding.state === 'fault' ? finding : notRead(setting, file, usedUntilMs, now);
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

function notRead(setting: string, file: string, usedUntilMs: number, now: Date): Finding {
  const hasExpired = usedUntilMs < now.getTime();
  const expiry = `${hasExpired ? 'expired' : 'expires'} on ${new Date(usedUntilMs).toISOString()}`;
  const found = `the running gateway uses an earlier certificate, which ${expiry}, and not the one in ${file}`;
  const remedy = 'Run "systemctl reload plantgate", or send SIGHUP to the gateway.';
  return hasExpired ? fault(setting, found, remedy) : warning(setting, found, remedy);
}
