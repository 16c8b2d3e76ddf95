import type { ComponentChildren } from 'preact';
import type { ReportView } from '../../../flows/production/production-views.ts';
import { call } from '../../api/call.ts';
import { Frame } from '../../app/frame.tsx';
import { useResource } from '../../app/use-resource.ts';
import { FileLink } from '../../show/file-link.tsx';
import { Icon } from '../../show/icon.tsx';
import { Link } from '../../show/link.tsx';
import { words } from '../../words/words.ts';
import { AskBar, Choose } from './ask-bar.tsx';
import { choice, chooseProduction, productionRoute, VIEWS, type View } from './choice.ts';
import { Patterns } from './time-mix.tsx';

interface ViewProps {
  readonly answer: string;
  readonly more?: string;
  /** The table behind the view as a file; empty: there is none. */
  readonly file: string;
  readonly shiftNames?: readonly string[];
  readonly asks?: boolean;
  readonly children: ComponentChildren;
}

/** The frame of each view: the views, and the bar with the choice. */
export function ViewFrame({ answer, more = '', file, shiftNames = [], asks = true, children }: ViewProps) {
  return (
    <Frame answer={answer} more={more}>
      <Patterns />
      <Views file={file} />
      {asks && <AskBar shiftNames={shiftNames} />}
      {children}
    </Frame>
  );
}

function Views({ file }: { readonly file: string }) {
  const { view } = choice.value;
  const texts = words.value.production;
  return (
    <>
      <div class="viewrow wide-only">
        <nav class="views" aria-label={texts.viewsOf}>
          {VIEWS.map((one) => (
            <Link key={one} to={productionRoute({ view: one, by: '', find: '' })} class="view" current={one === view}>
              {texts.views[one]}
            </Link>
          ))}
        </nav>
        <span class="push acts">
          {file !== '' && (
            <FileLink path={file} class="btn btn-icon" label={texts.download}>
              <Icon name="download" />
            </FileLink>
          )}
          <button type="button" class="btn btn-icon" aria-label={texts.print} onClick={() => print()}>
            <Icon name="print" />
          </button>
        </span>
      </div>
      <div class="ask narrow-only">
        <Choose
          label={texts.view}
          value={view}
          options={VIEWS.map((one) => [one, texts.views[one]] as const)}
          onChoose={(chosen) => chooseProduction({ view: chosen as View, by: '', find: '' })}
        />
      </div>
    </>
  );
}

const REFRESHED = { everyMs: 30_000 };

/** A report of the gateway for the chosen days, machines and shift; loaded again while it is shown. */
export function useReport<Row>(kind: 'sums' | 'work' | 'stops', query: string) {
  const path = `/production/${kind}?${query}`;
  return useResource(path, () => call<ReportView<Row>>('GET', path), REFRESHED).value;
}
