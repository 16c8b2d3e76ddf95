import { ScrollSection } from '../../show/scroll-section.tsx';
import { words } from '../../words/words.ts';

interface FieldReading {
  readonly key: string;
  /** The field that the key was read as, or null when it was ignored. */
  readonly field: string | null;
  readonly why: string;
}

/** The reading of each key of a status, or the reason why it was not read. */
export function Fields({ fields }: { readonly fields: readonly FieldReading[] }) {
  const { key, understoodAs, why, ignored } = words.value.machine;
  return (
    <ScrollSection label={understoodAs}>
      <table class="table">
        <thead>
          <tr>
            <th>{key}</th>
            <th>{understoodAs}</th>
            <th>{why}</th>
          </tr>
        </thead>
        <tbody>
          {fields.map((field) => (
            <tr key={field.key}>
              <td>
                <code>{field.key}</code>
              </td>
              <td class="bold">{field.field ?? <span class="state state-line">{ignored}</span>}</td>
              <td class="dim small">{field.why}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollSection>
  );
}
