import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { LOG_LEVELS, type LogLevel } from '../../../domain/log-level.ts';
import { call } from '../../api/call.ts';
import { isDone } from '../../app/tell-outcome.ts';
import { words } from '../../words/words.ts';

interface Answer {
  readonly level: LogLevel;
}

/** The choice of the log level, for a person who looks for a fault. It counts until the next start. */
export function LogLevelField() {
  const level = useSignal<LogLevel | null>(null);
  const ask = async (method: 'GET' | 'PUT', body?: Answer) => {
    const outcome = await call<Answer>(method, '/log-level', body);
    if (!isDone(outcome)) return false;
    level.value = outcome.value.level;
    return true;
  };
  const choose = async (field: HTMLSelectElement) => {
    const chosen = LOG_LEVELS.find((one) => one === field.value);
    // After a refusal the field shows the level that counts.
    if (chosen !== undefined && !(await ask('PUT', { level: chosen }))) field.value = level.value ?? '';
  };
  useEffect(() => void ask('GET'), []);
  const { admin: said } = words.value;
  if (level.value === null) return null;
  return (
    <div class="field">
      <label for="log-level">{said.logLevel}</label>
      <select id="log-level" value={level.value} onChange={({ currentTarget }) => void choose(currentTarget)}>
        {LOG_LEVELS.map((one) => (
          <option key={one}>{one}</option>
        ))}
      </select>
      <span class="hint">{said.logLevelHint}</span>
    </div>
  );
}
