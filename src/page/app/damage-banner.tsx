import { damagedDatabase } from '../plant/damaged-database.ts';
import { timeOrDate } from '../show/format.ts';
import { Icon } from '../show/icon.tsx';
import { Link } from '../show/link.tsx';
import { words } from '../words/words.ts';
import { route } from './route.ts';

/** Says at every place but Sync, which shows all of it, that a database was damaged. */
export function DamageBanner() {
  const damaged = damagedDatabase.value;
  if (damaged === null || route.value.place === 'sync') return null;
  const { damage: said } = words.value;
  return (
    <div class="banner banner-warn" role="alert">
      <Icon name="warn" />
      <div>
        <b>{said.title(damaged.at === null ? null : timeOrDate(damaged.at))}</b>
        {damaged.losses.length === 0 ? said.allSaved : said.lost(damaged.losses.length)}
      </div>
      <Link to={{ place: 'sync' }} class="btn">
        {said.open}
      </Link>
    </div>
  );
}
