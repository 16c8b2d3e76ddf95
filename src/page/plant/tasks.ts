import { computed, signal } from '@preact/signals';
import type { ReasonCode } from '../../domain/plant/plant.ts';
import type { TaskView } from '../../domain/warehouse/task.ts';
import { callBusiness, type Outcome, withValue } from '../api/call.ts';
import { onEvent } from '../api/live.ts';
import { now } from '../show/clock.ts';
import { listOf, resource } from './resource.ts';

export type Task = TaskView;

/** Tasks that are not complete, by id; null until loaded. */
const open = signal<ReadonlyMap<string, Task> | null>(null);
export const reasonCodes = signal<readonly ReasonCode[]>([]);
const { load: loadReasonCodes } = listOf<ReasonCode>('/plant/reasonCodes', reasonCodes);

/** The open tasks, the one that is due first at the head. */
export const openTasks = computed<readonly Task[] | null>(() =>
  open.value === null
    ? null
    : [...open.value.values()].sort((one, other) => one.requiredDate.localeCompare(other.requiredDate)),
);

/** By the place where it is wanted, the task that is late the longest. */
export const lateTasks = computed<ReadonlyMap<string, Task>>(() => {
  const late = (openTasks.value ?? []).filter((task) => task.taskType === 'WarehouseToMachine' && isLate(task));
  return new Map(late.reverse().map((task) => [task.destinationLocation, task]));
});

/** The open tasks of which a person said that they cannot be done. */
export const unattainableTasks = computed<readonly Task[]>(() =>
  (openTasks.value ?? []).filter(({ unattainableReason }) => unattainableReason !== null),
);

/** Why a task cannot be done, in the words of the plant; null: nobody said so. */
export function whyUnattainable({ unattainableReason }: Task): string | null {
  const code = reasonCodes.value.find(({ id }) => id === unattainableReason);
  return code?.reason ?? unattainableReason;
}

/** Whether the coil of a task should be there already. */
export function isLate({ requiredDate }: Task): boolean {
  return Date.parse(requiredDate) < now.value;
}

const MOST_TASKS = 500;

export function followTasks(mayLoad: () => boolean): void {
  onEvent('task', (data) => openList.note(data as Task));
  for (const name of ['reset', 'plant'] as const) onEvent(name, () => mayLoad() && loadTasks());
  onEvent('sync', (data) => isMirroredTasks(data) && mayLoad() && void loadTasks());
}

/** The central server changed tasks that have no event of their own. */
function isMirroredTasks(data: unknown): boolean {
  return typeof data === 'object' && data !== null && 'mirrored' in data && data.mirrored === 'tasks';
}

/** A change that the central server made has no event of its own, which would be shown again after an older answer. */
const openList = resource<readonly Task[], Task>({
  ask: () => callBusiness('GET', `/warehouseTasks?onlyIncomplete=true&take=${MOST_TASKS}`),
  show: (tasks) => {
    open.value = new Map(tasks.map((task) => [task.taskId, task]));
  },
  change: showTask,
});

export async function loadTasks(): Promise<void> {
  await Promise.all([openList.load(), loadReasonCodes()]);
}

type Step =
  | { readonly type: 'ready'; readonly body: Record<string, never> }
  /** `userName`: the driver; without it the person who is signed in (TASK-13). */
  | { readonly type: 'inProcess'; readonly body: { readonly userName?: string | null } }
  | { readonly type: 'inTransit'; readonly body: { readonly coilId: string; readonly overrideReason: string | null } }
  | { readonly type: 'complete'; readonly body: { readonly location: string } }
  | { readonly type: 'cancel'; readonly body: { readonly coilId: string; readonly location: string } }
  | { readonly type: 'unattainable'; readonly body: { readonly unattainableCode: string } };

/** Takes a task a step on, and shows it without waiting for its event. */
export async function stepTask(taskId: string, { type, body }: Step): Promise<Outcome<unknown>> {
  const path = `/warehouseTasks/${encodeURIComponent(taskId)}`;
  const outcome = await callBusiness('POST', `${path}/${type}`, body);
  if (outcome.kind !== 'done') return outcome;
  await openList.noteAct(callBusiness<Task>('GET', path).then((changed) => withValue(changed, (task) => [task])));
  return outcome;
}

function showTask(task: Task): void {
  if (open.value === null) return;
  const next = new Map(open.value);
  if (task.taskState === 'Complete') next.delete(task.taskId);
  else next.set(task.taskId, task);
  open.value = next;
}
