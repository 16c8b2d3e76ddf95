import { plantAreas, stations } from '../plant/machines.ts';
import type { StationChoice } from '../plant/station-choice.ts';
import { words } from '../words/words.ts';
import { Choose } from './choose.tsx';
import { SearchField } from './search-field.tsx';

/** With fewer records everything is found at a glance. */
const ASKED_FROM = 25;
const ALL = 'all';
const AREA = 'area:';

interface MachineFilterProps {
  readonly choice: StationChoice;
  readonly onChoose: (choice: StationChoice) => void;
  readonly label?: string;
  /** The number of records; by default that of the machines. */
  readonly count?: number;
}

/** A search and a choice of the area, where a place shows many records of machines. */
export function MachineFilter(props: MachineFilterProps) {
  const { choice, onChoose, label = words.value.near.find, count = stations.value.length } = props;
  const { area, find } = choice;
  const { production: texts } = words.value;
  const all = stations.value;
  if (count < ASKED_FROM && area === null && find === '') return null;
  const areas = plantAreas.value;
  const others = all.some((station) => station.area === null) ? [''] : [];
  // An area of an old link may have no machine any more.
  const old = area === null || area === '' || areas.includes(area) ? [] : [area];
  return (
    <div class="row no-print">
      <SearchField label={label} value={find} onSearch={(text) => onChoose({ area, find: text })} />
      {areas.length + old.length > 0 && (
        <Choose
          label={texts.machines}
          value={area === null ? ALL : AREA + area}
          options={[
            [ALL, texts.allMachines(all.length)],
            ...[...areas, ...old, ...others].map((one) => [AREA + one, areaName(one)] as const),
          ]}
          onChoose={(chosen) => onChoose({ area: chosen === ALL ? null : chosen.slice(AREA.length), find })}
        />
      )}
    </div>
  );
}

/** '': the machines without an area. */
export function areaName(area: string): string {
  return area === '' ? words.value.andon.noArea : words.value.near.area(area);
}
