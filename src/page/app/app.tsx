import { useEffect } from 'preact/hooks';
import { who } from '../people/who.ts';
import { Admin } from '../places/admin/admin.tsx';
import { Alerts } from '../places/alerts/alerts.tsx';
import { Rules } from '../places/alerts/rules.tsx';
import { WhoIsTold } from '../places/alerts/who-is-told.tsx';
import { Andon } from '../places/andon/andon.tsx';
import { Wall } from '../places/andon/wall.tsx';
import { CoilPlace } from '../places/coils/coil-place.tsx';
import { Coils } from '../places/coils/coils.tsx';
import { Events } from '../places/events/events.tsx';
import { FirstRun } from '../places/first-run/first-run.tsx';
import { laterPlace } from '../places/later-place.tsx';
import { MachinePlace } from '../places/machine/machine-place.tsx';
import { PartPlace } from '../places/machine/part-place.tsx';
import { More } from '../places/more/more.tsx';
import { Nowhere } from '../places/nowhere/nowhere.tsx';
import { Orders } from '../places/orders/orders.tsx';
import { Production } from '../places/production/production.tsx';
import { NewProfile, ProfilePlace } from '../places/profiles/profile-place.tsx';
import { Profiles } from '../places/profiles/profiles.tsx';
import { SetUpPlace } from '../places/set-up/set-up-place.tsx';
import { SignIn } from '../places/sign-in/sign-in.tsx';
import { WhoIsThere } from '../places/sign-in/who-is-there.tsx';
import { Stops } from '../places/stops/stops.tsx';
import { Sync } from '../places/sync/sync.tsx';
import { TaskPlace } from '../places/tasks/task-place.tsx';
import { Tasks } from '../places/tasks/tasks.tsx';
import { VariablesPlace } from '../places/variables/variables-place.tsx';
import { hasOnlyGateways, showsFleet } from '../plant/fleet.ts';
import { isForeignPlant } from '../several-plants/own-plants.ts';
import { severalPlants } from '../several-plants/several-plants.ts';
import { words } from '../words/words.ts';
import { Question } from './question.tsx';
import { pathOf, type Route, route } from './route.ts';
import { ToastView } from './toast-view.tsx';
import { leaving } from './unsaved.ts';

const plants = laterPlace(async () => (await import('../places/plants/plants-place.tsx')).PlantsPlace);

/** The page: who is there, then the place that the address names. */
export function App() {
  useEffect(() => {
    if (showsFleet.value) plants.load();
  }, [showsFleet.value]);
  if (who.value === 'unknown') return <p class="waits dim">{words.value.trouble.waits}</p>;
  if (who.value === 'firstRun') return <FirstRun />;
  if (who.value === 'nobody') return <SignIn />;
  if (who.value === 'onlooker') return <Onlooking />;
  return (
    <>
      {isForeignPlant() ? <Foreign /> : <Place key={keyOf(route.value)} route={route.value} />}
      <LeaveQuestion />
      <WhoIsThere />
      <ToastView />
    </>
  );
}

/**
 * Another record is never shown with what was loaded or typed for the one before. The forms of Admin open in one place, and
 * places whose choice stands in the address show another choice without beginning anew.
 */
function keyOf(shown: Route): string {
  if (shown.place === 'variables') return `variables ${shown.machineId}`;
  if (shown.place === 'stops') return `stops ${shown.machineId}`;
  if (shown.place === 'plants' && shown.production !== undefined) return `plants ${shown.production}`;
  return ['admin', 'andon', 'production', 'tasks'].includes(shown.place) ? shown.place : pathOf(shown);
}

/** Until its part of the page is there, nothing can be said. */
function Foreign() {
  const parts = severalPlants.value;
  return parts === null ? null : <parts.ForeignPlant />;
}

/** Andon is open to everybody; every other place asks who is there. */
function Onlooking() {
  const { place } = route.value;
  if (place === 'andon') return <Andon />;
  if (place === 'nowhere') return <Nowhere />;
  return place === 'wall' ? <Wall /> : <SignIn />;
}

function Place({ route: shown }: { readonly route: Route }) {
  switch (shown.place) {
    case 'andon':
      return hasOnlyGateways.value ? <plants.View shown={{ place: 'plants' }} /> : <Andon />;
    case 'wall':
      return <Wall />;
    case 'stops':
      return <Stops machineId={shown.machineId} query={shown.query} />;
    case 'production':
      return hasOnlyGateways.value ? <plants.View shown={{ place: 'plants', production: '' }} /> : <Production />;
    case 'machine':
      return <MachinePlace machineId={shown.machineId} />;
    case 'variables':
      return <VariablesPlace machineId={shown.machineId} query={shown.query ?? ''} />;
    case 'tasks':
      return <Tasks query={shown.query} />;
    case 'task':
      return <TaskPlace taskId={shown.taskId} />;
    case 'coils':
      return <Coils />;
    case 'coil':
      return <CoilPlace coilId={shown.coilId} />;
    case 'orders':
      return <Orders />;
    case 'profiles':
      return <Profiles />;
    case 'new-profile':
      return <NewProfile key={shown.copy} copy={shown.copy} />;
    case 'profile':
      return <ProfilePlace profileId={shown.profileId} />;
    case 'plants':
      return <plants.View shown={shown} />;
    case 'sync':
      return <Sync />;
    case 'events':
      return <Events />;
    case 'admin':
      return <Admin />;
    case 'alerts':
      return <AlertsView {...shown} />;
    case 'set-up':
      return <SetUpPlace />;
    case 'more':
      return <More />;
    case 'nowhere':
      return <Nowhere />;
    case 'part':
      return <PartPlace machineId={shown.machineId} />;
  }
}

/** Open alerts, rules, or who is told. */
function AlertsView({ view, ruleId }: Extract<Route, { place: 'alerts' }>) {
  if (view === 'rules') return <Rules ruleId={ruleId ?? null} />;
  return view === 'who' ? <WhoIsTold /> : <Alerts />;
}

/** Asks before something unsaved is lost. */
function LeaveQuestion() {
  const goOn = leaving.value;
  if (goOn === null) return null;
  const { question, meaning, leave, stay } = words.value.unsaved;
  const close = () => {
    leaving.value = null;
  };
  return (
    <Question
      title={question}
      meaning={meaning}
      act={leave}
      keep={stay}
      icon="arrow"
      onAct={() => {
        close();
        goOn();
      }}
      onClose={close}
    />
  );
}
