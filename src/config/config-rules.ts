import { type Fault, foundText } from '../domain/error.ts';
import { createShiftCalendar } from '../domain/shift/shift-calendar.ts';
import { checkWorkPlan } from '../domain/shift/work-plan.ts';
import { isAddressBlock } from '../runtime/network/address-blocks.ts';
import { backupTimesExpected } from './backup-times.ts';
import type { Config } from './config-schema.ts';

interface Rule {
  /** The sections that the rule uses. */
  readonly sections: readonly (keyof Config)[];
  readonly faults: (config: Config) => readonly Fault[];
}

const RULES: readonly Rule[] = [
  { sections: ['shifts'], faults: shiftFaults },
  { sections: ['legacyAgent', 'upstream'], faults: agentFaults },
  { sections: ['plants', 'upstream'], faults: plantFaults },
  { sections: ['mqtt'], faults: clientCertificateFaults },
  { sections: ['storage'], faults: backupFaults },
  { sections: ['http', 'deviceHttp', 'mqtt'], faults: portFaults },
  { sections: ['http'], faults: proxyFaults },
];

/**
 * Checks rules between settings, except those that use `unsound` sections. Paths are those of the file: `mqtt.tls.ca`.
 */
export function checkConfig(config: Config, unsound: ReadonlySet<unknown> = new Set()): readonly Fault[] {
  const rules = RULES.filter(({ sections }) => !sections.some((section) => unsound.has(section)));
  return rules.flatMap(({ faults }) => faults(config));
}

function shiftFaults({ shifts }: Config): readonly Fault[] {
  const result = createShiftCalendar(shifts);
  const faults = result.ok ? checkWorkPlan(shifts) : result.faults;
  return faults.map((fault) => ({ ...fault, path: `shifts.${fault.path}` }));
}

/** A gateway stands in one plant; a central server may have several, each under its own id. */
function plantFaults({ plants, upstream }: Config): readonly Fault[] {
  if (plants.length > 0 && upstream !== undefined) {
    return [
      {
        path: 'plants',
        found: `${plants.length} plants`,
        expected: 'none, for a gateway with upstream is in one plant',
      },
    ];
  }
  return plants.flatMap(({ id }, place) => {
    const first = plants.findIndex((plant) => plant.id === id);
    if (first === place) return [];
    const expected = `a plant once only; plants[${first}] is the same`;
    return [{ path: `plants[${place}].id`, found: foundText(id), expected }];
  });
}

function agentFaults({ legacyAgent, upstream }: Config): readonly Fault[] {
  const faults: Fault[] = [];
  const url = legacyAgent.url;
  if (legacyAgent.kind === 'http' && url === undefined) {
    faults.push({ path: 'legacyAgent.url', found: 'nothing', expected: 'the URL of the agent, for its kind is http' });
  }
  if (legacyAgent.kind === 'upstream' && upstream === undefined) {
    faults.push({ path: 'upstream', found: 'nothing', expected: 'a central server, for legacyAgent.kind is upstream' });
  }
  return [...faults, ...urlFaults('legacyAgent.url', url), ...urlFaults('upstream.url', upstream?.url)];
}

function urlFaults(path: string, url: string | undefined): readonly Fault[] {
  if (url === undefined) return [];
  const parsed = URL.canParse(url) ? new URL(url) : null;
  const expected = urlExpected(path, parsed);
  if (expected === null) return [];
  const isSecret = parsed !== null && parsed.password !== '';
  return [{ path, found: isSecret ? 'a password' : foundText(url), expected }];
}

/** Null if the address can be used. */
function urlExpected(path: string, url: URL | null): string | null {
  if (url === null || !['http:', 'https:'].includes(url.protocol)) return 'a URL, http:// or https://';
  if (url.username !== '' || url.password !== '') return 'a URL without a name or password in it';
  if (url.search !== '' || url.hash !== '') return 'a URL without ? and #';
  const isEndpoint = path === 'upstream.url' && /\/api(?:\/v1)?\/?$/.test(url.pathname);
  return isEndpoint ? 'the address of the central server, in front of /api/v1' : null;
}

function clientCertificateFaults({ mqtt }: Config): readonly Fault[] {
  if (mqtt.tls === undefined || mqtt.tls.ca !== undefined) return [];
  const { requireClientCertificate, identity } = mqtt.tls;
  if (!requireClientCertificate && identity === 'none') return [];
  const cause = requireClientCertificate ? 'requireClientCertificate is true' : 'identity is cn';
  const expected = `the authority that signed the client certificates, for ${cause}`;
  return [{ path: 'mqtt.tls.ca', found: 'nothing', expected }];
}

function backupFaults({ storage }: Config): readonly Fault[] {
  const at = storage.backups?.at;
  const expected = at === undefined ? null : backupTimesExpected(at);
  return at === undefined || expected === null ? [] : [{ path: 'storage.backups.at', found: foundText(at), expected }];
}

function proxyFaults({ http }: Config): readonly Fault[] {
  const expected = 'an address or a network, as 10.0.0.5, 10.0.0.0/24 or fd00::/8';
  return http.trustedProxies.flatMap((proxy, place) =>
    isAddressBlock(proxy) ? [] : [{ path: `http.trustedProxies[${place}]`, found: foundText(proxy), expected }],
  );
}

interface Listener {
  readonly path: string;
  readonly host: string;
  readonly port: number;
}

function portFaults({ http, deviceHttp, mqtt }: Config): readonly Fault[] {
  const listeners: Listener[] = [
    { path: 'http.port', host: http.host, port: http.port },
    { path: 'mqtt.port', host: mqtt.host, port: mqtt.port },
  ];
  if (mqtt.tls !== undefined) listeners.push({ path: 'mqtt.tls.port', host: mqtt.host, port: mqtt.tls.port });
  if (deviceHttp !== undefined) listeners.push({ path: 'deviceHttp.port', ...deviceHttp });
  return listeners.flatMap((listener, place) => {
    const rival = listeners.slice(0, place).find((other) => collide(listener, other));
    if (rival === undefined) return [];
    return [{ path: listener.path, found: String(listener.port), expected: `another port than ${rival.path}` }];
  });
}

function collide(one: Listener, other: Listener): boolean {
  if (one.port !== other.port || one.port === 0) return false;
  return one.host === other.host || isEveryAddress(one.host) || isEveryAddress(other.host);
}

/** Whether a program that listens there can be reached on every address of its computer. */
export function isEveryAddress(host: string): boolean {
  return host === '0.0.0.0' || host === '::';
}
