import { signal } from '@preact/signals';
import { isPermitted, type Role } from '../../domain/plant/plant.ts';
import { FIRST_PLANT } from '../../domain/plant/plant-scope.ts';
import type { PanelProof } from '../../flows/people/people-ports.ts';
import { shownPlantId } from '../api/address.ts';
import { call, mayAnswerLater, type Outcome, whenSignedOut } from '../api/call.ts';
import { forgetBreak, listen, onEvent, pauseListening, stopListening } from '../api/live.ts';
import { go } from '../app/route.ts';
import { closeToast, showDone } from '../app/toast.ts';
import { loadDamage } from '../plant/damaged-database.ts';
import { loadMachinesSoon } from '../plant/machines.ts';
import { loadPlant } from '../plant/plant.ts';
import { loadTasks } from '../plant/tasks.ts';
import { isForeignPlant, learnPlants, ownPlants } from '../several-plants/own-plants.ts';
import { words } from '../words/words.ts';
import { asked } from './asked.ts';

export interface Person {
  readonly name: string;
  readonly role: Role;
  /** The name of the enrolled panel that this browser is. */
  readonly panel?: string;
  /** False if nobody is signed in at this panel. */
  readonly isSignedIn?: boolean;
  /** The plants that the person is for; left out: all. */
  readonly plants?: readonly string[];
}

/**
 * The person signed in. `onlooker`: nobody, where Andon is open to everybody. `firstRun`: nobody may sign in yet.
 * `unknown`: the gateway was not asked yet, or did not answer.
 */
export const who = signal<Person | 'nobody' | 'onlooker' | 'unknown' | 'firstRun'>('unknown');

const AGAIN_AFTER_MS = 2_000;

/** The address that the demo prints has its person and password behind the #, which no server sees. */
const DEMO_ADDRESS = /^#(demo):([0-9a-f]+)$/;

/** Begins with the person who is signed in, or in the demo with the person in its address. */
export async function beginSession(): Promise<void> {
  const [, name, password] = DEMO_ADDRESS.exec(location.hash) ?? [];
  if (name !== undefined && password !== undefined) {
    history.replaceState(null, '', location.pathname + location.search);
    if ((await signIn(name, password)).kind === 'done') return;
  }
  await askWho();
}

/**
 * Asks the gateway who is signed in. Without an answer it asks again every 2 s; the promise ends with the first try.
 */
export async function askWho(): Promise<void> {
  const outcome = await call<Person>('GET', '/session');
  if (outcome.kind === 'done') await begin(outcome.value);
  else if (mayAnswerLater(outcome)) setTimeout(() => void askWho(), AGAIN_AFTER_MS);
  else if (asked.value.kind !== 'ended') await beginWithout();
}

/** No person is signed in. */
async function beginWithout(): Promise<void> {
  const outcome = await call<{ readonly isNeeded: boolean; readonly openAndon: boolean }>('GET', '/setup');
  if (mayAnswerLater(outcome)) {
    setTimeout(() => void askWho(), AGAIN_AFTER_MS);
    return;
  }
  const { isNeeded, openAndon } = outcome.kind === 'done' ? outcome.value : { isNeeded: false, openAndon: false };
  who.value = isNeeded ? 'firstRun' : openAndon ? 'onlooker' : 'nobody';
  if (who.value !== 'onlooker') return;
  loadMachinesSoon();
  listen();
}

/** The tabs of one browser share a session. Each tells the others when a person signs in or out. */
const otherTabs = channelOfTabs();

/** Null: some browsers that permit no storage permit no channel either. */
function channelOfTabs(): BroadcastChannel | null {
  try {
    return new BroadcastChannel('plantgate-session');
  } catch {
    return null;
  }
}

/** Makes the first administrator, and goes on to plant, server and first machine. */
export async function setUp(code: string, name: string, password: string): Promise<Outcome<Person>> {
  const outcome = await call<Person>('POST', '/setup', { code, name, password });
  if (outcome.kind === 'done') {
    await begin(outcome.value);
    go({ place: 'set-up' });
  }
  return outcome;
}

/** `notKept`: the gateway signed the person in, but the browser keeps no cookie of it. */
export type SignInOutcome = Outcome<Person> | { readonly kind: 'notKept' };

export async function signIn(name: string, password: string): Promise<SignInOutcome> {
  const outcome = await call<Person>('POST', '/session', { name, password });
  if (outcome.kind !== 'done') return outcome;
  const kept = await call<Person>('GET', '/session');
  if (kept.kind === 'refused' && kept.status === 401) return { kind: 'notKept' };
  otherTabs?.postMessage('signed in');
  if (panelOf(who.value) !== null) await askWho();
  else await begin(kept.kind === 'done' ? kept.value : outcome.value);
  return outcome;
}

/** Signs in at a panel by a badge, or by a name and its PIN. */
export async function signInAtPanel(proof: PanelProof): Promise<Outcome<Person>> {
  const outcome = await call<Person>('POST', '/session/panel', proof);
  if (outcome.kind !== 'done') return outcome;
  otherTabs?.postMessage('signed in');
  await askWho();
  return outcome;
}

/**
 * Signs out, with `everywhere` in all browsers. A panel can still read afterwards, and every browser still shows Andon
 * if it is open to everybody.
 */
export async function signOut(everywhere = false): Promise<Outcome<unknown>> {
  const isPanel = panelOf(who.value) !== null;
  const outcome = await call('DELETE', everywhere ? '/session?everywhere=true' : '/session');
  const isOver = outcome.kind === 'done' || (outcome.kind === 'refused' && outcome.status === 401);
  if (isOver) otherTabs?.postMessage('signed out');
  if (isOver && !isPanel) end();
  if (isOver) await askWho();
  return outcome;
}

/** The enrolled panel that this browser is; null: none. */
export function panelOf(present: typeof who.value): string | null {
  return typeof present === 'string' ? null : (present.panel ?? null);
}

/** The name of the person or panel. Views with this key are made again when the person changes. */
export function nameOf(present: typeof who.value): string {
  return typeof present === 'string' ? present : present.name;
}

/** Whether this is a panel at which nobody is signed in. */
export function onlyShows(present: typeof who.value): boolean {
  return typeof present !== 'string' && present.isSignedIn === false;
}

/**
 * Whether the person's role permits calls that read what needs this role. The page makes no call that is refused
 * anyway.
 */
export function mayRead(needed: Role): boolean {
  const person = who.value;
  return typeof person !== 'string' && isPermitted(person.role, needed, true);
}

/** Whether the person may change what belongs to the whole server. The role is another question (D-108). */
export function isForAllPlants(): boolean {
  const person = who.value;
  return typeof person !== 'string' && person.plants === undefined;
}

/** Whether the person may bring plant files to the shown plant, and take its backups: in the first one they have keys. */
export function hasOwnRecords(): boolean {
  return isForAllPlants() || shownPlantId() !== FIRST_PLANT;
}

/** Whether the page tells the person of a damaged database. */
export const mayKnowDamage = () => mayRead('supervisor');

/** Follows the end of the session, and the other tabs. The shown place stays, so that a person can go on there. */
export function followSession(): void {
  whenSignedOut(expire);
  onEvent('closed', askWhoAfterClose);
  otherTabs?.addEventListener('message', () => void learnFromOtherTab());
}

/** The time at which the page asks, or last asked, after its stream was closed. */
let askedAtMs = Number.NEGATIVE_INFINITY;

/** A gateway that takes no more streams closes each one at once. The page does not ask without a pause then. */
function askWhoAfterClose(): void {
  const waitMs = Math.max(0, askedAtMs + AGAIN_AFTER_MS - performance.now());
  askedAtMs = performance.now() + waitMs;
  setTimeout(() => void askWho(), waitMs);
}

/**
 * The person who signed in there acts here as well from now on. The event stream is opened again, because it has the
 * rights of the person before.
 */
async function learnFromOtherTab(): Promise<void> {
  const before = who.value;
  stopListening();
  await askWho();
  const present = who.value;
  if (typeof before !== 'object' || typeof present !== 'object') return;
  if (before.name === present.name || onlyShows(present)) return;
  showDone(words.value.signIn.as(present.name), words.value.signIn.inOtherTab);
}

async function begin(person: Person): Promise<void> {
  if (!(await learnPlants(person.name))) {
    setTimeout(() => void askWho(), AGAIN_AFTER_MS);
    return;
  }
  if (asked.value.kind === 'ended') asked.value = { kind: 'nothing' };
  // The Undo of the person before is not for this one.
  if (typeof who.value === 'object' && who.value.name !== person.name) closeToast();
  who.value = person;
  // Nothing of a plant that is not this person's can be loaded.
  if (isForeignPlant()) return;
  loadMachinesSoon();
  void loadTasks();
  void loadPlant();
  void loadDamage(mayKnowDamage);
  listen();
}

/**
 * The session ended by itself. The page asks the person to sign in, and the place below stays as it is. The refused
 * call may belong to an earlier session, so the page also asks the gateway who is signed in.
 */
function expire(): void {
  if (typeof who.value !== 'object' || asked.value.kind === 'ended') return;
  pauseListening();
  asked.value = { kind: 'ended' };
  void askWho();
}

/** Ends the session of the page for good: nobody is signed in, and no place is kept for a person. */
export function end(): void {
  if (typeof who.value !== 'object') return;
  stopListening();
  forgetBreak();
  // The Undo of this person is not for the next one.
  closeToast();
  asked.value = { kind: 'nothing' };
  ownPlants.value = null;
  who.value = 'nobody';
}
