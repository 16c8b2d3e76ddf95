import { openAlerts } from '../plant/alerts.ts';
import { Icon } from '../show/icon.tsx';
import { Link } from '../show/link.tsx';
import { words } from '../words/words.ts';
import { route } from './route.ts';

/** The way to the alerts, with the number of open ones, in the head of every place. */
export function Bell() {
  const open = openAlerts.value?.length ?? 0;
  const isHere = route.value.place === 'alerts';
  return (
    <Link to={{ place: 'alerts' }} class="btn btn-icon bell" label={words.value.alerts.bell(open)} current={isHere}>
      <Icon name="bell" />
      {open > 0 && (
        <span class="n" aria-hidden="true">
          {open}
        </span>
      )}
    </Link>
  );
}
