import type { RuleKind } from '../../../domain/alert/alert-rule.ts';

/** The icon of each kind of rule; a word always stands beside it. */
export const KIND_ICONS: Readonly<Record<RuleKind, string>> = {
  held: 'held',
  fault: 'fault',
  silent: 'silent',
  variable: 'curve',
  scrap: 'bin',
  taskLate: 'coil',
  queueOld: 'sync',
  disk: 'disk',
  backup: 'box',
  certificate: 'key',
  clock: 'clock',
  database: 'server',
  channel: 'send',
  gatewaySilent: 'silent',
  gatewayDisk: 'disk',
  gatewayClock: 'clock',
  gatewayQueue: 'sync',
  gatewaySetAside: 'sync',
  gatewayBackup: 'box',
  gatewayCertificate: 'key',
  gatewayVersion: 'download',
};
