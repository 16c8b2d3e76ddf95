import { archiveFiles, archiveVerifier } from '../../adapters/update/archive-files.ts';
import type { ApplyingPlaces } from '../../adapters/update/update-files.ts';
import { FleetArchives } from '../../flows/fleet-update/fleet-archives.ts';
import { RollOuts, type RollOutsOptions } from '../../flows/fleet-update/roll-outs.ts';
import {
  tellUpdateOutcome,
  UpdateFollower,
  type UpdateFollowerOptions,
} from '../../flows/fleet-update/update-follower.ts';
import type { Fleet } from '../../flows/receive/fleet.ts';
import type { RequestUpdate } from '../../flows/update/request-update.ts';
import { after } from '../../runtime/after.ts';
import { threadEntry } from '../../threads.ts';
import { VERSION } from '../../version.ts';
import type { Base } from '../gateway-parts.ts';

export interface FleetUpdates {
  readonly archives: FleetArchives;
  readonly rollOuts: RollOuts;
}

/** Puts together the updates of gateways that send here. Without a service only the makers' keys are trusted. */
export function openFleetUpdates(
  {
    config,
    store,
    central,
    auditOf,
    incidents,
    clock,
    newId,
  }: Pick<Base, 'store' | 'central' | 'incidents' | 'clock' | 'newId'> & {
    readonly config: Pick<Base['config'], 'dataDir'>;
    readonly auditOf: RollOutsOptions['auditOf'];
  },
  fleet: Fleet | null,
  applying: Pick<ApplyingPlaces, 'trustedKeys'> | null,
): FleetUpdates {
  const { dataDir } = config;
  const trustedKeys = applying?.trustedKeys ?? NO_FILE;
  const place = { dataDir, verify: archiveVerifier(trustedKeys, threadEntry('update-thread')) };
  const archives = new FleetArchives({ store: central?.archives(place) ?? archiveFiles(place), newId });
  const isOnDuty = () => central?.business.duty.isOurs ?? true;
  const rollOuts = new RollOuts({ store, archives, fleet, isOnDuty, auditOf, incidents, clock, newId });
  return { archives, rollOuts };
}

/** A file that does not exist. */
const NO_FILE = '/dev/null/update-keys.pem';

/** Puts together the taking of updates from the central server. */
export function openUpdateFollower(
  { config, store, audit, incidents, clock, log }: Base,
  updates: RequestUpdate,
  { server, isConnected, onNews }: Pick<UpdateFollowerOptions, 'server' | 'isConnected' | 'onNews'>,
): UpdateFollower {
  return new UpdateFollower({
    server,
    isConnected,
    store,
    updates,
    version: VERSION,
    arch: process.arch,
    gatewayId: config.gatewayId,
    clock,
    after,
    onOutcome: (version, failure) => tellUpdateOutcome({ audit, incidents }, version, failure),
    onNews,
    log,
  });
}
