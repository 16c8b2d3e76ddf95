import type { Signal } from '@preact/signals';
import { Question } from '../../app/question.tsx';
import { words } from '../../words/words.ts';

export type AskedOfServer = 'nothing' | 'removal' | 'doubt';

interface ServerQuestionProps {
  readonly asked: Signal<AskedOfServer>;
  readonly onAct: () => void;
}

/**
 * Asks before a server is removed, because the page does not know its key and could not give it back; and before one is
 * kept that does not answer, because a mistake in its address looks the same (D-58).
 */
export function ServerQuestion({ asked, onAct }: ServerQuestionProps) {
  const { setUp: said } = words.value;
  if (asked.value === 'nothing') return null;
  const [title, meaning, act, keep] =
    asked.value === 'removal'
      ? [said.removeServer, said.removeServerMeans, said.removeServerAct, said.sameServer]
      : [said.doubt, said.doubtMeans, said.doubtAct, said.doubtKeep];
  const icon = asked.value === 'removal' ? 'trash' : 'warn';
  const close = () => {
    asked.value = 'nothing';
  };
  return <Question title={title} meaning={meaning} act={act} keep={keep} icon={icon} onAct={onAct} onClose={close} />;
}
