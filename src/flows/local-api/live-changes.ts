import type { MachineEffect } from '../../domain/machine/machine-effect.ts';
import type { MachineId } from '../../domain/machine/machine-names.ts';
import type { Downtime } from '../../domain/machine/records.ts';
import { isoTime } from '../../domain/time.ts';
import type { LiveMachine } from '../device/live-machine.ts';
import type { MachineRegistry } from '../device/machine-registry.ts';
import type { Plant } from '../plant/plant.ts';
import type { Clock } from '../ports.ts';
import type { IncidentLog } from './incident-log.ts';
import type { LiveChange } from './local-api-ports.ts';
import { downtimeView } from './machine-view.ts';

type Watcher = (change: LiveChange) => void;

/** A flow that announces the changes of its records. */
interface ChangeSource {
  onChange(listener: Watcher): void;
}

export interface LiveChangesOptions {
  readonly registry: MachineRegistry;
  readonly plant: Pick<Plant, 'onChange'>;
  readonly warehouse: ChangeSource;
  readonly orders: ChangeSource;
  readonly upstream: ChangeSource;
  readonly alerts: ChangeSource;
  readonly incidents: IncidentLog;
  readonly clock: Clock;
}

/** Incidents are announced at most this often; they may come a thousand times a second. */
const DIAGNOSTICS_INTERVAL_MS = 1_000;

/** Tells watchers about every change that the page may show. Without watchers it costs next to nothing. */
export class LiveChanges {
  readonly #options: LiveChangesOptions;
  readonly #watchers = new Set<Watcher>();
  #decisionChanges = 0;
  #diagnosticsTimer: NodeJS.Timeout | null = null;
  #announcedIncidents = 0;
  #machineIds: ReadonlySet<MachineId>;

  constructor(options: LiveChangesOptions) {
    this.#options = options;
    options.registry.onChange((live, effects) => this.#machineChanged(live, effects));
    options.warehouse.onChange((change) => this.#announce(change));
    options.orders.onChange((change) => this.#announce(change));
    options.upstream.onChange((change) => this.#announce(change));
    options.alerts.onChange((change) => this.#announce(change));
    this.#machineIds = this.#presentMachineIds();
    options.plant.onChange(() => this.#plantChanged());
  }

  /** How often a decision changed since the start. */
  get decisionChanges(): number {
    return this.#decisionChanges;
  }

  /** Calls the listener for changes until the returned function is called. */
  watch(listener: Watcher): () => void {
    this.#watchers.add(listener);
    this.#diagnosticsTimer ??= setInterval(() => this.#announceIncidents(), DIAGNOSTICS_INTERVAL_MS).unref();
    return () => {
      this.#watchers.delete(listener);
      if (this.#watchers.size > 0 || this.#diagnosticsTimer === null) return;
      clearInterval(this.#diagnosticsTimer);
      this.#diagnosticsTimer = null;
    };
  }

  /** Announces edited downtimes. Those of `downtimeIds` that are not among `edited` were removed by a merge. */
  downtimesEdited(edited: readonly Downtime[], downtimeIds: readonly string[]): void {
    const remaining = new Set(edited.map(({ downtimeId }) => downtimeId));
    for (const downtimeId of downtimeIds)
      if (!remaining.has(downtimeId))
        this.#announce({ event: 'downtime', key: downtimeId, record: { downtimeId, removed: true } });
    for (const downtime of edited) this.#announceDowntime(downtime);
    for (const machineId of new Set(edited.map((downtime) => downtime.machineId)))
      this.#announce({ event: 'machine', machineId, urgent: true });
  }

  /** Announces the number of incidents of each kind. */
  diagnosticsChanged(): void {
    const { incidents } = this.#options;
    const recordOf = (counts: ReturnType<IncidentLog['counts']>) => ({ counts: Object.fromEntries(counts) });
    this.#announce({
      event: 'diagnostics',
      key: 'diagnostics',
      record: recordOf(incidents.counts()),
      recordFor: (sight) => recordOf(incidents.counts(sight)),
    });
  }

  /** A watcher without a key gets the events of machines alone, so added and removed machines are announced too. */
  #plantChanged(): void {
    const before = this.#machineIds;
    this.#machineIds = this.#presentMachineIds();
    for (const machineId of [...this.#machineIds, ...before]) {
      if (this.#machineIds.has(machineId) && before.has(machineId)) continue;
      this.#announce({ event: 'machine', machineId, urgent: true });
    }
    const changedAt = isoTime(this.#options.clock.now().wallMs);
    this.#announce({ event: 'plant', key: 'plant', record: { changedAt } });
  }

  #presentMachineIds(): ReadonlySet<MachineId> {
    return new Set(this.#options.registry.all().map(({ machine }) => machine.machineId));
  }

  /** Called for every status. */
  #machineChanged(live: LiveMachine, effects: readonly MachineEffect[]): void {
    for (const effect of effects) if (effect.type === 'decision') this.#decisionChanges++;
    if (this.#watchers.size === 0) return;
    this.#announce({ event: 'machine', machineId: live.machine.machineId, urgent: effects.length > 0 });
    for (const effect of effects) if (effect.type === 'downtime') this.#announceDowntime(effect.downtime);
  }

  #announceDowntime(downtime: Downtime): void {
    this.#announce({ event: 'downtime', key: downtime.downtimeId, record: downtimeView(downtime) });
  }

  #announceIncidents(): void {
    const total = [...this.#options.incidents.counts().values()].reduce((sum, count) => sum + count, 0);
    if (total === this.#announcedIncidents) return;
    this.#announcedIncidents = total;
    this.diagnosticsChanged();
  }

  #announce(change: LiveChange): void {
    for (const watcher of this.#watchers) watcher(change);
  }
}
