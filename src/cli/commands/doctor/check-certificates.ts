import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Config } from '../../../config/config-schema.ts';
import { firstToExpire } from '../../../config/first-to-expire.ts';
import { statOrNull } from '../../../config/read-file.ts';
import { errorMessage } from '../../../domain/error-text.ts';
import { DAY_MS } from '../../../domain/time.ts';
import { AUTHORITY_FILE, replaceAuthority } from '../cert/cert.ts';
import { installationOf } from '../service/installation.ts';
import { type Finding, fault, ok, warning } from './finding.ts';
import type { RunningGateway } from './running-gateway.ts';

const SOON_DAYS = 30;

function reloadOf(file: string): string {
  return `"systemctl reload ${installationOf(file).service}"`;
}

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
    const finding = judged(setting, certificate, now, `Put a new certificate in its place, then ${reloadOf(file)}.`);
    const isUsed = usedUntilMs === undefined || usedUntilMs >= Date.parse(certificate.validTo);
    return isUsed || finding.state === 'fault' ? finding : notRead(setting, file, usedUntilMs, now);
  } catch (error) {
    return fault(setting, `${file} cannot be read: ${errorMessage(error)}`, 'Give the gateway a PEM file it may read.');
  }
}

/** Checks the expiry of each authority that `plantgate cert` made beside a certificate. */
export async function checkAuthorities({ http, mqtt }: Config, now: Date): Promise<readonly Finding[]> {
  const named = [http.tls?.cert, mqtt.tls?.cert].filter((file) => file !== undefined);
  const files = new Map(named.map((file) => [path.join(path.dirname(file), AUTHORITY_FILE), file]));
  const findings = await Promise.all([...files].map(([authority, file]) => checkAuthority(authority, file, now)));
  return findings.filter((one) => one !== null);
}

async function checkAuthority(authority: string, file: string, now: Date): Promise<Finding | null> {
  const check = 'authority';
  try {
    if ((await statOrNull(authority)) === null || (await statOrNull(file)) === null) return null;
    const [signer, signed] = await Promise.all([certificateIn(authority), certificateIn(file)]);
    if (!signed.checkIssued(signer)) return null;
    return judged(check, signer, now, replaceAuthority(path.dirname(authority)));
  } catch (error) {
    const found = `${authority} cannot be compared with ${file}: ${errorMessage(error)}`;
    return warning(check, found, 'Give the gateway PEM files it may read.');
  }
}

async function certificateIn(file: string): Promise<X509Certificate> {
  return new X509Certificate(await readFile(file));
}

function judged(setting: string, { validFrom, validTo }: X509Certificate, now: Date, remedy: string): Finding {
  const days = Math.floor((Date.parse(validTo) - now.getTime()) / DAY_MS);
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
  const remedy = `Run ${reloadOf(file)}, or send SIGHUP to the gateway.`;
  return hasExpired ? fault(setting, found, remedy) : warning(setting, found, remedy);
}
