import { words } from '../words/words.ts';
import { Question } from './question.tsx';
import { leaving } from './unsaved.ts';

/** Asks before something unsaved is lost. */
export function LeaveQuestion() {
  const goOn = leaving.value;
  if (goOn === null) return null;
  const { question, meaning, leave, stay } = words.value.unsaved;
  const close = () => {
    leaving.value = null;
  };
  return (
    <Question
      title={question}
      meaning={meaning}
      act={leave}
      keep={stay}
      icon="arrow"
      onAct={() => {
        close();
        goOn();
      }}
      onClose={close}
    />
  );
}
