import { CutBanner } from '../../app/cut-banner.tsx';
import { choose, go } from '../../app/route.ts';
import { isForAllPlants, mayRead } from '../../people/who.ts';
import { hasOnlyGateways } from '../../plant/fleet.ts';
import { reasons } from '../../plant/plant.ts';
import { Icon } from '../../show/icon.tsx';
import { Link } from '../../show/link.tsx';
import { words } from '../../words/words.ts';
import { StarterReasons } from '../stops/starter-reasons.tsx';
import { useDraft } from './settings.ts';
import { isLoaded, SettingsForm } from './settings-form.tsx';
import { Steps } from './steps.tsx';

/** The third step of the first run: time zone, shifts and central server. Each can be left out. */
export function SetUpPlace() {
  const { setUp: texts } = words.value;
  return (
    <main class="main set-up" id="main">
      <CutBanner />
      <div class="row">
        <Icon name="brand" kind="xl" />
        <div class="grow">
          <h1 class="h2">{texts.title}</h1>
          <p class="dim">{texts.hint}</p>
        </div>
      </div>
      <Steps here={1} />
      {mayRead('admin') && isForAllPlants() ? <Choices /> : <NotAllowed />}
    </main>
  );
}

/** This place has no navigation, so it shows the way out. */
function NotAllowed() {
  const { trouble, places } = words.value;
  return (
    <>
      <p class="dim">{trouble.forAdministrators}</p>
      <Link to={{ place: 'andon' }} class="btn btn-start">
        {places.toAndon}
      </Link>
    </>
  );
}

function Choices() {
  const draft = useDraft();
  // At a central server keys of gateways come next, and Plants leads there.
  const next = { place: hasOnlyGateways.value ? 'plants' : 'admin' } as const;
  if (!isLoaded(draft)) return null;
  return (
    <SettingsForm
      draft={draft}
      submit={words.value.goOn}
      onDone={() => go(next)}
      more={reasons.value?.length === 0 && <StarterReasons />}
    >
      <button type="button" class="btn btn-tall" onClick={() => choose(next)}>
        {words.value.setUp.leaveOut}
      </button>
    </SettingsForm>
  );
}
