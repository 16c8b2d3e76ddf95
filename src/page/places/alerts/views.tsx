import { Link } from '../../show/link.tsx';
import { words } from '../../words/words.ts';

/** The three views of the place. */
export function Views({ view }: { readonly view: 'open' | 'rules' | 'who' }) {
  const { alerts: texts } = words.value;
  return (
    <div class="viewrow">
      <nav class="views" aria-label={texts.views}>
        <Link to={{ place: 'alerts' }} class="view" current={view === 'open'}>
          {texts.open}
        </Link>
        <Link to={{ place: 'alerts', view: 'rules' }} class="view" current={view === 'rules'}>
          {texts.rules}
        </Link>
        <Link to={{ place: 'alerts', view: 'who' }} class="view" current={view === 'who'}>
          {texts.who}
        </Link>
      </nav>
    </div>
  );
}
