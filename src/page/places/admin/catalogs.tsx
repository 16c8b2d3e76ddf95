import type { Catalog, Machine } from '../../../domain/plant/plant.ts';
import { ScrollSection } from '../../show/scroll-section.tsx';
import { words } from '../../words/words.ts';
import { useRecords } from './use-records.ts';

/** Catalogs of profiles, and which machines fetch them. They come from the plant file or the central server. */
export function Catalogs() {
  const { records: catalogs } = useRecords<Catalog>('catalogs');
  const { records: machines } = useRecords<Pick<Machine, 'name' | 'catalogs'>>('machines');
  const { admin: said } = words.value;
  if (catalogs === null || machines === null) return null;
  return (
    <>
      <ScrollSection label={said.tabs.catalogs} class="pane flush">
        <table class="table">
          <thead>
            <tr>
              <th>{said.reasonId}</th>
              <th>{said.name}</th>
              <th>{said.fetchedBy}</th>
            </tr>
          </thead>
          <tbody>
            {catalogs.map(({ catalogId, name, default: isDefault }) => (
              <tr key={catalogId}>
                <td class="num">{catalogId}</td>
                <td>
                  <b>{name}</b> {isDefault && <span class="dim">{said.defaultCatalog}</span>}
                </td>
                <td>{machines.flatMap((one) => (one.catalogs.includes(catalogId) ? [one.name] : [])).join(', ')}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollSection>
      <p class="dim">{said.catalogsFrom}</p>
    </>
  );
}
