import type { DamagedDatabase } from '../../plant/damaged-database.ts';
import { timeOrDate } from '../../show/format.ts';
import { Icon } from '../../show/icon.tsx';
import { words } from '../../words/words.ts';

/** The losses of a damaged database, the place of its old file, and the things to do. */
export function DamagedPane({ damaged: { file, at, losses } }: { readonly damaged: DamagedDatabase }) {
  const { damage: said } = words.value;
  return (
    <section class="pane stack" aria-label={said.heading}>
      <h2 class="h3 note-line">
        <Icon name="warn" />
        {said.title(at === null ? null : timeOrDate(at))}
      </h2>
      {losses.length === 0 ? (
        <p>{said.allSaved}</p>
      ) : (
        <dl class="facts facts-log">
          {losses.map(({ table, reason }) => (
            <div class="fact" key={table}>
              <dt>{table === null ? said.everything : said.table(table)}</dt>
              <dd>{reason}</dd>
            </div>
          ))}
        </dl>
      )}
      <p>
        {said.liesAt} <code>{file}</code>
      </p>
      <ol class="numbered">
        {said.toDo.map((step) => (
          <li key={step}>{step}</li>
        ))}
      </ol>
    </section>
  );
}
