import { type Signal, useSignal } from '@preact/signals';
import type { Outcome } from '../../api/call.ts';
import { Question } from '../../app/question.tsx';
import { Sheet } from '../../app/sheet.tsx';
import { isDone } from '../../app/tell-outcome.ts';
import { showDone } from '../../app/toast.ts';
import { machineName } from '../../plant/machines.ts';
import { offeredReasons, reasonText } from '../../plant/plant.ts';
import { categorize, mergeStops, type Stop, splitStop } from '../../plant/stops.ts';
import { FaultLine } from '../../show/fault-line.tsx';
import { timeToTheSecond } from '../../show/format.ts';
import { Icon } from '../../show/icon.tsx';
import { useShown } from '../../show/use-shown.ts';
import { words } from '../../words/words.ts';
import { ReasonButtons } from './reason-buttons.tsx';
import { SplitStop } from './split-stop.tsx';
import { stopName, stopTimes } from './stop-times.ts';

interface EditStopProps {
  readonly stop: Stop;
  /** Another person has merged this stop into another one. */
  readonly isGone: boolean;
  readonly neighbour: Stop | null;
  readonly onClose: () => void;
}

/** Edits one stop: its reason, its note, a split into two stops, or a merge with the stop before it. */
export function EditStop({ stop, isGone, neighbour, onClose }: EditStopProps) {
  const note = useSignal(stop.note ?? '');
  const isUnsaved = note.value !== (stop.note ?? '');
  const texts = words.value.stops;
  const { machineId, startedAt, reasonId } = stop;
  const noteText = () => (note.value.trim() === '' ? null : note.value.trim());
  const isShown = useShown();
  /** Closes the sheet after an act, unless a note is typed by then that is not `savedNote`. True: the act was done. */
  const done = async <T,>(
    act: Promise<Outcome<T>>,
    text: string,
    undo: ((value: T) => Promise<boolean>) | null,
    savedNote = stop.note ?? '',
  ) => {
    const outcome = await act;
    if (!isDone(outcome, stopName(stop))) return false;
    // The sheet of another stop may be open by now.
    if (isShown() && note.value === savedNote) onClose();
    showDone(text, '', undo === null ? null : () => undo(outcome.value));
    return true;
  };
  const give = (id: string) =>
    void done(
      categorize([stop], id, noteText()),
      texts.done(reasonText(id) ?? id, machineName(machineId)),
      () => categorize([stop], reasonId, stop.note, stop.userName).then(isDone),
      note.value,
    );
  return (
    <Sheet title={stopName(stop)} onClose={onClose} isUnsaved={isUnsaved}>
      <div class="stack">
        {isGone && <FaultLine fault={{ text: texts.isGone, more: '' }} />}
        <NoteForm note={note} onKeep={reasonId === null ? null : () => give(reasonId)} />
        <ReasonButtons
          stopIds={stop.downtimeId}
          reasons={offeredReasons.value}
          counts={NO_COUNTS}
          isOff={false}
          present={reasonId}
          onReason={({ id }) => give(id)}
        />
        <SplitStop
          key={startedAt}
          stop={stop}
          onSplit={(at) =>
            void done(splitStop(stop, at), texts.wasSplit(timeToTheSecond(at)), (parts) =>
              mergeStops(parts).then(isDone),
            )
          }
        />
        {neighbour !== null && (
          <Merge
            key={neighbour.downtimeId}
            neighbour={neighbour}
            onMerge={() => done(mergeStops([neighbour, stop]), texts.merged, null)}
          />
        )}
      </div>
    </Sheet>
  );
}

interface MergeProps {
  readonly neighbour: Stop;
  /** Resolves with true if it was done. */
  readonly onMerge: () => Promise<boolean>;
}

function Merge({ neighbour, onMerge }: MergeProps) {
  const isAsked = useSignal(false);
  const texts = words.value.stops;
  const act = texts.merge(stopTimes(neighbour));
  const close = () => {
    isAsked.value = false;
  };
  const merge = async () => {
    if (await onMerge()) close();
  };
  return (
    <>
      <button type="button" class="btn btn-wide" onClick={() => (isAsked.value = true)}>
        <Icon name="merge" />
        {act}
      </button>
      {isAsked.value && (
        <Question
          title={texts.mergeQuestion}
          meaning={texts.mergeMeans}
          act={act}
          icon="merge"
          onAct={() => void merge()}
          onClose={close}
        />
      )}
    </>
  );
}

interface NoteFormProps {
  readonly note: Signal<string>;
  /** Null: the stop gets its note with its reason. */
  readonly onKeep: (() => void) | null;
}

function NoteForm({ note, onKeep }: NoteFormProps) {
  const texts = words.value.stops;
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    onKeep?.();
  };
  return (
    <form class="stack" data-not-sent-by-scan onSubmit={submit}>
      <div class="field">
        <label for="stop-note">{texts.note}</label>
        <input id="stop-note" value={note.value} onInput={({ currentTarget }) => (note.value = currentTarget.value)} />
      </div>
      {onKeep !== null && (
        <button type="submit" class="btn">
          {texts.keepNote}
        </button>
      )}
    </form>
  );
}

const NO_COUNTS: ReadonlyMap<string, number> = new Map();
