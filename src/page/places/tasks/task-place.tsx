import { useEffect } from 'preact/hooks';
import { Frame } from '../../app/frame.tsx';
import { loadTasks, openTasks, type Task } from '../../plant/tasks.ts';
import { Icon } from '../../show/icon.tsx';
import { words } from '../../words/words.ts';
import { BringCoil } from './bring-coil.tsx';
import { ScanCoil } from './scan-coil.tsx';
import { TaskRoute, TaskSpec } from './task-route.tsx';

/** One task: take, scan the coil, arrived. */
export function TaskPlace({ taskId }: { readonly taskId: string }) {
  useEffect(() => {
    if (openTasks.value === null) void loadTasks();
  }, []);
  const { tasks: said, places, trouble } = words.value;
  const back = { to: { place: 'tasks' }, label: places.tasks } as const;
  const task = openTasks.value?.find((one) => one.taskId === taskId);
  if (openTasks.value === null) return <Frame answer={trouble.waits} back={back} children={null} />;
  if (task === undefined) return <Frame answer={said.gone(taskId)} back={back} children={null} />;
  return (
    <Frame answer={said.heading(task.taskId, task.destinationLocation)} back={back}>
      <Steps task={task} />
      <div class="cols cols-tasks">
        <div class="stack">{task.taskState === 'InTransit' ? <BringCoil task={task} /> : <ScanCoil task={task} />}</div>
        <section class="pane stack" aria-labelledby="wanted">
          <h2 class="h3" id="wanted">
            {said.wanted}
          </h2>
          <TaskSpec task={task} />
          <TaskRoute task={task} />
          {task.preferredCoilIds.length > 0 && (
            <p>
              {said.preferred} <b>{task.preferredCoilIds.join(', ')}</b>
            </p>
          )}
        </section>
      </div>
    </Frame>
  );
}

function Steps({ task: { taskState, selectedCoilId } }: { readonly task: Task }) {
  const { taken, scanCoil, arrived } = words.value.tasks;
  const isInTransit = taskState === 'InTransit';
  return (
    <ol class="steps">
      <li class="done">
        <Icon name="check" />
        {taken}
      </li>
      {isInTransit ? (
        <li class="done">
          <Icon name="check" />
          {selectedCoilId}
        </li>
      ) : (
        <li class="here" aria-current="step">
          {scanCoil}
        </li>
      )}
      <li class={isInTransit ? 'here' : 'todo'} aria-current={isInTransit ? 'step' : undefined}>
        {arrived}
      </li>
    </ol>
  );
}
