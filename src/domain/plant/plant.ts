import type { MachineId } from '../machine/machine-names.ts';

/** The plant as configured: the records of the plant file that this gateway works with (contract.md, Plant file). */

export const MACHINE_STANDINGS = ['active', 'inactive', 'blocked'] as const;
export type MachineStanding = (typeof MACHINE_STANDINGS)[number];

export interface Machine {
  readonly machineId: MachineId;
  readonly name: string;
  readonly topicRoot: string;
  readonly location: string | null;
  readonly serialNumber: string | null;
  readonly registrationKeyHash: string | null;
  readonly claims: readonly string[];
  readonly variables: readonly string[];
  /** The names and units that people read. */
  readonly variableDetails?: readonly VariableDetail[];
  readonly catalogs: readonly number[];
  readonly state: MachineStanding;
  readonly mqttPasswordHash: string | null;
  /** The part of the plant that it stands in, by which lists and sums are grouped. */
  readonly area?: string;
  /** The rate at which it makes parts that have none of their own. */
  readonly idealPartsPerMinute?: number;
  /** Good parts that a whole shift shall make. */
  readonly targetPartsPerShift?: number;
}

/** The name and unit of a variable for people. */
export interface VariableDetail {
  readonly name: string;
  readonly label?: string;
  readonly unit?: string;
}

export interface Part {
  readonly partId: string;
  readonly partName: string;
  /** Whether a device named the part first and no person has confirmed it yet (D-09). */
  readonly isNew: boolean;
  /** The rate at which any machine makes it, unless `machineRates` has the machine. */
  readonly idealPartsPerMinute?: number;
  readonly machineRates?: readonly MachineRate[];
}

/** The rate at which one machine makes one part. */
export interface MachineRate {
  readonly machineId: MachineId;
  readonly idealPartsPerMinute: number;
}

/** The page's icons for reasons. */
export const REASON_ICONS = [
  'bolt',
  'broom',
  'coil',
  'cup',
  'downtime',
  'drop',
  'hourglass',
  'people',
  'person-off',
  'plug',
  'restart',
  'swap',
  'truck',
  'wrench',
] as const;
export type ReasonIcon = (typeof REASON_ICONS)[number];

export interface DowntimeReason {
  readonly id: string;
  readonly reason: string;
  readonly group: string;
  /** Without an icon the page chooses one by the words of the reason. */
  readonly icon?: ReasonIcon;
  /** Whether its stops are planned, so that they do not count against the machine. Absent: its group decides. */
  readonly planned?: boolean;
  /** An archived reason is not offered any more. It stays as the text of past stops. */
  readonly archived?: boolean;
}

export const CODE_SETS = ['OverrideReasons', 'UnattainableReasons'] as const;

export interface ReasonCode {
  readonly id: string;
  readonly codeSet: (typeof CODE_SETS)[number];
  readonly reason: string;
}

export const LOCATION_CATEGORIES = ['Machine', 'Warehouse', 'StagingBay', 'LoadingDock', 'Bin'] as const;

export interface Location {
  readonly code: string;
  readonly name: string;
  readonly category: (typeof LOCATION_CATEGORIES)[number];
}

export interface Catalog {
  readonly catalogId: number;
  readonly name: string;
  readonly default: boolean;
}

/** A coil as configured or mirrored; null for unknown fields (D-19, extended record). */
export interface Coil {
  readonly coilId: string;
  readonly materialCode: string | null;
  readonly description: string | null;
  readonly materialType: string | null;
  readonly color: string | null;
  readonly gauge: number | null;
  readonly widthIn: number | null;
  readonly lengthStartFt: number | null;
  readonly lengthRemainingFt: number | null;
  readonly currentWeightLbs: number | null;
  readonly isComplete: boolean;
  readonly isStarted: boolean;
  readonly location: string;
  /** ISO 8601 local form, without a zone suffix. */
  readonly dateIn: string | null;
  readonly vendorName: string | null;
  readonly heatNumber: string | null;
  readonly purchaseOrder: string | null;
}

export interface CoilType {
  readonly coilTypeCode: string;
  readonly materialType: string;
  readonly color: string;
  readonly gauge: number;
  readonly widthIn: number;
  readonly lbsPerFt: number;
}

export const TASK_TYPES = ['WarehouseToMachine', 'MachineToWarehouse'] as const;
export const TASK_STATES = ['Pending', 'Ready', 'InProcess', 'InTransit', 'Complete'] as const;

/** A warehouse task (interface.md, Warehouse tasks) with its machine. Dates are ISO 8601 with Z. */
export interface Task {
  readonly taskId: string;
  readonly machineId: string;
  readonly taskType: (typeof TASK_TYPES)[number];
  readonly taskState: (typeof TASK_STATES)[number];
  readonly coilType: CoilType;
  readonly requiredFt: number;
  readonly sourceLocation: string;
  readonly destinationLocation: string;
  readonly requiredDate: string;
  readonly availableDate: string | null;
  readonly startedDate: string | null;
  readonly completedDate: string | null;
  readonly selectedCoilId: string | null;
  readonly preferredCoilIds: readonly string[];
  readonly userName: string | null;
  readonly overrideReason: string | null;
  readonly unattainableReason: string | null;
}

/**
 * Each role has the rights of the ones before it (rights.ts), except `viewer`, which only reads. `gateway` is for
 * gateways that send here.
 */
export const ROLES = ['gateway', 'business', 'viewer', 'technician', 'supervisor', 'admin'] as const;
export type Role = (typeof ROLES)[number];

export interface ApiKey {
  /** The id of this key: a principal may have several keys, so that a new one can replace the old one. */
  readonly id: string;
  readonly principal: string;
  readonly role: Role;
  /** The time of its creation in ISO 8601 with Z; null if unknown. */
  readonly since: string | null;
  /** Whether an enrolled panel uses the key. */
  readonly isPanel: boolean;
  readonly keyHash: string;
  /** The plants of a central server that it is for; `plantScope` says which without a list. */
  readonly plants?: readonly string[];
}

/** A client of MQTT that is no machine: a display, a historian, or a relay that speaks for machines (D-66). */
export interface MqttAccount {
  /** The user name of the client. */
  readonly name: string;
  /** The only client id that may use the account; null for any. */
  readonly clientId: string | null;
  /** Topic filters that the client may subscribe within. `%c` stands for its client id. */
  readonly read: readonly string[];
  /** Topic filters that the client may publish within. */
  readonly write: readonly string[];
  /** Machines that the client may report for. */
  readonly machines: readonly MachineId[];
  /** Null if only a certificate opens the account. */
  readonly passwordHash: string | null;
}

export interface User {
  readonly name: string;
  readonly role: Role;
  readonly passwordHash: string;
  /** The badge opens a session at an enrolled panel; null if only the password does. */
  readonly badgeHash: string | null;
  readonly pinHash: string | null;
  /** Like those of a key. */
  readonly plants?: readonly string[];
}

/** The lowest role that may make a call. `known` means any key or session. */
export type NeededRole = Role | 'known';

/** Each has the rights of the ones before it. */
const RANKS: readonly Role[] = ['gateway', 'business', 'technician', 'supervisor', 'admin'];

/** Whether a role is enough. A viewer reads what a technician reads, and changes nothing. */
export function isPermitted(role: Role, needed: NeededRole, isReading: boolean): boolean {
  if (needed === 'known') return true;
  if (role === 'viewer') return isReading && RANKS.indexOf(needed) <= RANKS.indexOf('technician');
  return RANKS.indexOf(role) >= RANKS.indexOf(needed);
}
