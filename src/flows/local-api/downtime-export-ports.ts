import type { Downtime } from '../../domain/machine/records.ts';

/** The exported downtimes; null for those of every machine, and for all of them. */
export interface DowntimeExport {
  readonly machineId: string | null;
  readonly uncategorizedOnly: boolean;
  readonly limit: number | null;
}

/** A downtime with the meaning of its reason; times have the offset of the plant's zone. */
export interface DowntimeRow extends Pick<Downtime, 'downtimeId' | 'machineId' | 'reasonId' | 'note' | 'userName'> {
  readonly machineName: string;
  readonly startedAt: string;
  /** Null, like its duration, while it lasts. */
  readonly endedAt: string | null;
  readonly durationSeconds: number | null;
  readonly reason: string | null;
  readonly group: string | null;
}
