import { pathOf } from '../../app/route.ts';
import { isForAllPlants, mayRead } from '../../people/who.ts';
import { Icon } from '../../show/icon.tsx';
import { fleetWords } from './fleet-words.ts';

interface EmptyPlantProps {
  readonly plantId: string;
  readonly columns: number;
}

/** The row of a plant without a gateway: it says how one comes, and leads there who may make keys. */
export function EmptyPlant({ plantId, columns }: EmptyPlantProps) {
  const { none, noneHint, addKey } = fleetWords.value.several;
  return (
    <tr>
      <td colSpan={columns}>
        {none}. <span class="dim">{noneHint}</span>{' '}
        {mayRead('admin') && isForAllPlants() && (
          <a class="nowrap" href={pathOf({ place: 'admin', tab: 'keys' }, plantId)}>
            {addKey}
            <Icon name="right" />
          </a>
        )}
      </td>
    </tr>
  );
}
