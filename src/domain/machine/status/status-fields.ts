/** The fields of a device status with their spellings and kinds (interface.md, Status). */

export type SwitchField = 'running' | 'machinePower' | 'fault' | 'override';
export type CounterName = 'cycle' | 'goodPart' | 'badPart';
export type CountField = CounterName | 'mSecSinceBoot';
export type TextField = 'userId' | 'partId' | 'partName' | 'jobNumber' | 'material';
/** Fields that the interface names and does not describe: they are kept unchanged (DEV-20). */
export type ScalarField = 'goodPartTotal' | 'goodPartInputs' | 'piecesAtATime';
export type StatusFieldName = 'machineId' | SwitchField | CountField | TextField | ScalarField;

export type FieldDefinition = { readonly aliases: readonly string[] } & (
  | { readonly kind: 'machineId'; readonly name: 'machineId' }
  | { readonly kind: 'switch'; readonly name: SwitchField }
  | { readonly kind: 'count'; readonly name: CountField }
  | { readonly kind: 'text'; readonly name: TextField }
  | { readonly kind: 'scalar'; readonly name: ScalarField }
);

export const STATUS_FIELDS: readonly FieldDefinition[] = [
  { kind: 'machineId', name: 'machineId', aliases: ['deviceId'] },
  { kind: 'switch', name: 'running', aliases: ['run', 'isRunning', 'machineRunning'] },
  { kind: 'switch', name: 'machinePower', aliases: ['power', 'powered', 'powerOn', 'machineOn'] },
  { kind: 'switch', name: 'fault', aliases: ['faulted', 'inFault', 'alarm'] },
  { kind: 'switch', name: 'override', aliases: ['overridden', 'overrideActive'] },
  { kind: 'count', name: 'cycle', aliases: ['cycles', 'cycleCount', 'cycleCounter'] },
  { kind: 'count', name: 'goodPart', aliases: ['goodParts', 'good', 'goodCount'] },
  { kind: 'count', name: 'badPart', aliases: ['badParts', 'bad', 'badCount', 'scrap'] },
  { kind: 'count', name: 'mSecSinceBoot', aliases: ['msSinceBoot', 'millisSinceBoot', 'uptimeMs'] },
  { kind: 'scalar', name: 'goodPartTotal', aliases: ['goodPartsTotal', 'goodTotal'] },
  { kind: 'scalar', name: 'goodPartInputs', aliases: ['goodPartInput', 'goodInputs'] },
  { kind: 'scalar', name: 'piecesAtATime', aliases: ['piecesPerCycle', 'partsAtATime'] },
  { kind: 'text', name: 'userId', aliases: ['user', 'operator', 'operatorId', 'badgeId'] },
  { kind: 'text', name: 'partId', aliases: ['part', 'partNumber'] },
  { kind: 'text', name: 'partName', aliases: [] },
  { kind: 'text', name: 'jobNumber', aliases: [] },
  { kind: 'text', name: 'material', aliases: ['materialCode'] },
];
