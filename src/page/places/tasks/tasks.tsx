import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { Frame } from '../../app/frame.tsx';
import { MachineFilter } from '../../app/machine-filter.tsx';
import { MoreButton } from '../../app/more-button.tsx';
import { amend, goUnlessElsewhere } from '../../app/route.ts';
import { isDone } from '../../app/tell-outcome.ts';
import { who } from '../../people/who.ts';
import { stationAt } from '../../plant/machines.ts';
import { choiceOf, isInArea, queryOf, type StationChoice } from '../../plant/station-choice.ts';
import { isLate, loadTasks, openTasks, stepTask, type Task, unattainableTasks } from '../../plant/tasks.ts';
import { now } from '../../show/clock.ts';
import { age, timeOrDate } from '../../show/format.ts';
import { Icon } from '../../show/icon.tsx';
import { Link } from '../../show/link.tsx';
import { useSettling } from '../../show/use-settling.ts';
import { words } from '../../words/words.ts';
import { TaskRoute, TaskSpec, Unattainable } from './task-route.tsx';

/** The place Tasks: the open warehouse tasks for a forklift driver, the next one first. */
export function Tasks({ query }: { readonly query: string | undefined }) {
  useEffect(() => void loadTasks(), []);
  const choice = choiceOf(query);
  const { tasks: texts, trouble } = words.value;
  const all = openTasks.value;
  if (all === null) return <Frame answer={trouble.waits} children={null} />;
  const tasks = all.filter((task) => isChosenTask(task, choice));
  const name = typeof who.value === 'string' ? '' : who.value.name;
  const mine = all.filter((task) => isUnderWay(task) && task.userName === name);
  const others = tasks.filter(isUnderWay).filter(({ userName }) => userName !== name);
  const ready = tasks.filter(({ taskState }) => taskState === 'Ready');
  const pending = tasks.filter(({ taskState }) => taskState === 'Pending');
  return (
    <Frame
      answer={texts.answer(mine.length, ready.length)}
      more={`${texts.late(ready.filter(isLate).length)} ${texts.cannotCount(unattainableTasks.value.length)}`.trim()}
    >
      <MachineFilter
        choice={choice}
        label={texts.find}
        count={all.length}
        onChoose={(chosen) => amend({ place: 'tasks', query: queryOf(chosen) })}
      />
      {tasks.length === 0 && all.length > 0 && <p class="dim">{words.value.near.none}</p>}
      {all.length === 0 && (
        <div class="pane empty">
          <Icon name="forklift" />
          <b>{texts.none}</b>
          <span>{texts.noneHint}</span>
        </div>
      )}
      <div class={mine.length === 0 ? 'stack' : 'cols cols-tasks'}>
        {mine.length > 0 && (
          <section class="stack" aria-label={texts.mine}>
            {mine.map((task) => (
              <MyTask key={task.taskId} task={task} />
            ))}
            <p class="dim small">{texts.stays(name)}</p>
          </section>
        )}
        <section class={mine.length === 0 ? 'tasks-ready' : 'stack'} aria-label={texts.ready}>
          <ReadyTasks tasks={ready} above={mine.length} />
        </section>
      </div>
      {pending.length + others.length > 0 && (
        <section class="pane sunk">
          {pending.length > 0 && <p class="bold">{texts.prepared(pending.length)}</p>}
          {pending
            .filter(({ unattainableReason }) => unattainableReason !== null)
            .map((task) => (
              <OfOthers key={task.taskId} task={task} text={task.taskId} />
            ))}
          {others.map((task) => (
            <OfOthers
              key={task.taskId}
              task={task}
              text={texts.hasIt(task.userName ?? texts.somebody, task.taskId, task.destinationLocation)}
            />
          ))}
        </section>
      )}
    </Frame>
  );
}

/** The text is looked for in the task, its places, its coil and its machine. The area is that of the machine. */
function isChosenTask(task: Task, { area, find }: StationChoice): boolean {
  const { taskId, coilType, sourceLocation, destinationLocation, userName } = task;
  const stations = [sourceLocation, destinationLocation].map(stationAt);
  const { color, materialType } = coilType;
  const texts = [taskId, sourceLocation, destinationLocation, userName, color, materialType];
  const text = [...texts, ...stations.map((station) => station?.name)].join(' ').toLowerCase();
  const isThere = area === null || stations.some((station) => station !== undefined && isInArea(station, area));
  return isThere && text.includes(find.trim().toLowerCase());
}

function OfOthers({ task, text }: { readonly task: Task; readonly text: string }) {
  return (
    <>
      <p class="dim">
        <Link to={{ place: 'task', taskId: task.taskId }}>{text}</Link>
      </p>
      <Unattainable task={task} />
    </>
  );
}

function isUnderWay({ taskState }: Task): boolean {
  return taskState === 'InProcess' || taskState === 'InTransit';
}

function MyTask({ task }: { readonly task: Task }) {
  const { taskId, taskState, requiredDate, selectedCoilId, preferredCoilIds } = task;
  const { mine, due, coil, scanCoil, arrive } = words.value.tasks;
  const coils = selectedCoilId ?? preferredCoilIds.join(', ');
  return (
    <article class="task task-mine">
      <header>
        <span class="bold">{mine}</span>
        <span class="dim">{taskId}</span>
        <span class="due push">{due(timeOrDate(requiredDate))}</span>
      </header>
      <Unattainable task={task} />
      <TaskRoute task={task} />
      <TaskSpec task={task} />
      {coils !== '' && (
        <p class="spec">
          <span>
            {coil} <b>{coils}</b>
          </span>
        </p>
      )}
      <Link to={{ place: 'task', taskId }} class="btn btn-main btn-wide">
        <Icon name={taskState === 'InProcess' ? 'scan' : 'check'} />
        {taskState === 'InProcess' ? scanCoil : arrive(task.destinationLocation)}
      </Link>
    </article>
  );
}

/** Tasks that are drawn at once. */
const AT_ONCE = 40;

/**
 * A task that another driver takes moves the ones below it up, under the finger of a person who presses; `above` is the
 * number of other tasks above them.
 */
function ReadyTasks({ tasks, above }: { readonly tasks: readonly Task[]; readonly above: number }) {
  const limit = useSignal(AT_ONCE);
  const isSettling = useSettling(`${above} ${tasks.map(({ taskId }) => taskId).join()}`);
  return (
    <>
      {tasks.slice(0, limit.value).map((task) => (
        <ReadyTask key={task.taskId} task={task} isSettling={isSettling} />
      ))}
      <MoreButton shown={limit.value} total={tasks.length} onMore={() => (limit.value += AT_ONCE)} />
    </>
  );
}

function ReadyTask({ task, isSettling }: { readonly task: Task; readonly isSettling: boolean }) {
  const { taskId, requiredDate } = task;
  const { due, lateBy, take } = words.value.tasks;
  return (
    <article class="task">
      <header>
        {isLate(task) && (
          <span class="state state-warn">
            <Icon name="warn" />
            {lateBy(age(now.value - Date.parse(requiredDate)))}
          </span>
        )}
        <span class="dim">{taskId}</span>
        <span class="due push">{due(timeOrDate(requiredDate))}</span>
      </header>
      <Unattainable task={task} />
      <TaskRoute task={task} />
      <div class="row row-flat">
        <TaskSpec task={task} />
        <button
          type="button"
          class="btn btn-tall"
          aria-label={`${take} ${taskId}`}
          aria-disabled={isSettling}
          onClick={() => isSettling || void takeTask(task)}
        >
          {take}
        </button>
      </div>
    </article>
  );
}

export async function takeTask({ taskId }: Task): Promise<void> {
  const goOn = goUnlessElsewhere();
  if (isDone(await stepTask(taskId, { type: 'inProcess', body: {} }))) goOn({ place: 'task', taskId });
}
