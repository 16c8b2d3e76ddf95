import { useEffect } from 'preact/hooks';
import { Frame } from '../../app/frame.tsx';
import { useResource } from '../../app/use-resource.ts';
import { type Coil, readCoils } from '../../plant/coils.ts';
import { loadTasks, openTasks, type Task } from '../../plant/tasks.ts';
import { Icon } from '../../show/icon.tsx';
import { words } from '../../words/words.ts';
import { BringCoil } from './bring-coil.tsx';
import { ScanCoil } from './scan-coil.tsx';
import { locationName, TaskRoute, TaskSpec, Unattainable } from './task-route.tsx';
import { takeTask } from './tasks.tsx';

/** One task in its steps: take it, scan the coil, confirm the arrival. */
export function TaskPlace({ taskId }: { readonly taskId: string }) {
  useEffect(() => {
    if (openTasks.value === null) void loadTasks();
  }, []);
  const { tasks: texts, places, trouble } = words.value;
  const back = { to: { place: 'tasks' }, label: places.tasks } as const;
  const task = openTasks.value?.find((one) => one.taskId === taskId);
  if (openTasks.value === null) return <Frame answer={trouble.waits} back={back} children={null} />;
  if (task === undefined) return <Frame answer={texts.gone(taskId)} back={back} children={null} />;
  return (
    <Frame answer={texts.heading(task.taskId, task.destinationLocation)} back={back}>
      <Steps task={task} />
      <Unattainable task={task} />
      <div class="cols cols-tasks">
        <div class="stack">
          <NextStep task={task} />
        </div>
        <section class="pane stack" aria-labelledby="wanted">
          <h2 class="h3" id="wanted">
            {texts.wanted}
          </h2>
          <TaskSpec task={task} />
          <TaskRoute task={task} />
          <PreferredCoils key={task.preferredCoilIds.join()} task={task} />
        </section>
      </div>
    </Frame>
  );
}

/** The preferred coils, and the place where each lies now: it may have been moved since the task was made. */
function PreferredCoils({ task: { preferredCoilIds, sourceLocation } }: { readonly task: Task }) {
  const coils = useResource(preferredCoilIds.join(), () => readCoils(preferredCoilIds), {
    follow: { event: 'coil', change: changedCoil },
  });
  if (preferredCoilIds.length === 0) return null;
  const { tasks: texts } = words.value;
  return (
    <dl class="facts">
      {preferredCoilIds.map((coilId) => {
        const location = coils.value?.find((coil) => coil.coilId === coilId)?.location ?? null;
        const isElsewhere = location !== null && location !== sourceLocation;
        return (
          <div class="fact" key={coilId}>
            <dt>
              {texts.preferred} <b>{coilId}</b>
            </dt>
            <dd>
              {isElsewhere && <Icon name="warn-line" />} {location !== null && texts.liesIn(location)}{' '}
              {location !== null && <span class="dim normal">{locationName(location)}</span>}
            </dd>
          </div>
        );
      })}
    </dl>
  );
}

function changedCoil(shown: readonly Coil[], data: unknown): readonly Coil[] {
  const changed = data as Coil;
  return shown.map((coil) => (coil.coilId === changed.coilId ? changed : coil));
}

function NextStep({ task }: { readonly task: Task }) {
  switch (task.taskState) {
    case 'InTransit':
      return <BringCoil task={task} />;
    case 'InProcess':
      return <ScanCoil task={task} />;
    case 'Pending':
      return <p class="h3">{words.value.tasks.pending}</p>;
    default:
      return (
        <button type="button" class="btn btn-main btn-wide" onClick={() => void takeTask(task)}>
          {words.value.tasks.take}
        </button>
      );
  }
}

const STEPS: readonly Task['taskState'][] = ['Ready', 'InProcess', 'InTransit'];

/** The steps of the task: done, and next. */
function Steps({ task: { taskState, selectedCoilId } }: { readonly task: Task }) {
  const { take, taken, scanCoil, arrived } = words.value.tasks;
  const here = Math.max(0, STEPS.indexOf(taskState));
  const labels = [here > 0 ? taken : take, here > 1 ? (selectedCoilId ?? '') : scanCoil, arrived];
  return (
    <ol class="steps">
      {labels.map((label, place) => (
        <li
          key={label}
          class={place < here ? 'done' : place === here ? 'here' : 'todo'}
          aria-current={place === here ? 'step' : undefined}
        >
          {place < here && <Icon name="check" />}
          {label}
        </li>
      ))}
    </ol>
  );
}
