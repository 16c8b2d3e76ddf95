import type { Downtime } from '../../domain/machine/records.ts';

/** Which downtimes are exported; null: those of every machine, and as many as there are. */
export interface DowntimeExport {
  readonly machineId: string | null;
  readonly uncategorizedOnly: boolean;
  readonly limit: number | null;
}

/** A downtime with what its reason means; times with the offset of the plant's zone. */
export interface DowntimeRow extends Pick<Downtime, 'downtimeId' | 'machineId' | 'reasonId' | 'note' | 'userName'> {
  readonly machineName: string;
  readonly startedAt: string;
  /** Null, as its duration: it lasts. */
  readonly endedAt: string | null;
  readonly durationSeconds: number | null;
  readonly reason: string | null;
  readonly group: string | null;
}
