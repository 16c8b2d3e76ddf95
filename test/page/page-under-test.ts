import path from 'node:path';
import Database from 'better-sqlite3';
import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { Program, type ProgramOptions, statusOf } from '../end-to-end/program.ts';
import { Faults, openBrowser } from './browser.ts';

/** A name that would run a script if the page took it as HTML. */
export const XSS = `<img src=x onerror="document.title='broken in'">`;
const PROFILE_ID = '6f2f3f36-6d0c-4a3b-9d3c-0b6f3f1d2a11';
/** The place of the only profile, and its path below `/api/v1`. */
export const PROFILE = `/profile/${PROFILE_ID}`;
export const PROFILE_RECORD = `/profiles/${PROFILE_ID}`;
const PASSWORD = 'rolls and coils';
/** As in `src/page/api/seen-age.ts`. */
const UNSEEN_MS = 1_000;
const COIL_TYPE = {
  coilTypeCode: 'CT-1',
  materialType: 'Galvalume',
  color: 'White',
  gauge: 26,
  widthIn: 41.5625,
  lbsPerFt: 1.9,
};

function taskOf(taskId: string, more: object): object {
  return {
    taskId,
    machineId: 'RF-01',
    taskType: 'WarehouseToMachine',
    taskState: 'Ready',
    coilType: COIL_TYPE,
    requiredFt: 2_200,
    sourceLocation: 'WH-A1',
    destinationLocation: 'RF-01',
    requiredDate: '2026-01-02T08:00:00Z',
    preferredCoilIds: ['C-70009'],
    ...more,
  };
}

function coilOf(coilId: string, more: object = {}): object {
  const { color, gauge, widthIn, materialType } = COIL_TYPE;
  return {
    coilId,
    location: 'WH-A1',
    color,
    gauge,
    widthIn,
    materialType,
    lengthStartFt: 6_000,
    lengthRemainingFt: 5_960,
    ...more,
  };
}

/** Four machines, a small warehouse, and a person of each role. */
export const PLANT = {
  catalogs: [
    { catalogId: 1, name: 'Standard', default: true },
    { catalogId: 2, name: 'Trim' },
  ],
  locations: [
    { code: 'WH-A1', name: 'Rack A1', category: 'Warehouse' },
    { code: 'WH-A2', name: 'Rack A2', category: 'Warehouse' },
    { code: 'RF-01', name: 'Ridge line 1', category: 'Machine' },
  ],
  machines: [
    {
      machineId: 'RF-01',
      name: 'Ridge line 1',
      topicRoot: 'plant1/rollformer-1',
      location: 'RF-01',
      claims: ['service.machine.warehouse'],
    },
    {
      machineId: 'RF-02',
      name: 'Panel line 1',
      topicRoot: 'plant1/rollformer-2',
      serialNumber: 'SN-02',
      catalogs: [2],
    },
    { machineId: 'RF-03', name: XSS, topicRoot: 'plant1/rollformer-3' },
    { machineId: 'RF-04', name: 'Trim line 1', topicRoot: 'plant1/rollformer-4' },
  ],
  parts: [
    { partId: 'P-100', partName: 'Panel 100' },
    { partId: 'P-210', partName: 'Ridge cap' },
  ],
  downtimeReasons: [
    { id: 'DT-01', reason: 'Coil change', group: 'Planned' },
    { id: 'DT-02', reason: 'Tooling adjustment', group: 'Setup', icon: 'broom' },
    { id: 'DT-03', reason: 'Drive fault', group: 'Breakdown' },
  ],
  reasonCodes: [
    { id: 'OR-1', codeSet: 'OverrideReasons', reason: 'Preferred coil damaged' },
    { id: 'UR-1', codeSet: 'UnattainableReasons', reason: 'Coil not found' },
  ],
  coils: [coilOf('C-70009'), coilOf('C-70006', { color: 'Barn red', gauge: 29 })],
  tasks: [taskOf('T-1005', {}), taskOf('T-1011', { requiredDate: '2026-01-02T07:00:00Z' })],
  profiles: [
    {
      profileId: PROFILE_ID,
      profileName: 'Eave trim',
      description: 'For 3:12',
      owningCatalogId: 1,
      category: 'Trim',
      paintedSide: 'Positive',
      features: [
        { type: 'Straight', length: 3 },
        { type: 'Angle', angle: -104 },
        { type: 'Straight', length: 4 },
      ],
    },
  ],
  orders: [
    {
      documentID: 'DOC-1',
      orderCode: 'SO-41001',
      customer: { name: 'Alder Barns' },
      schedule: { requiredDateTime: '2098-11-25T11:19:00Z' },
      products: [],
    },
    {
      documentID: 'DOC-2',
      orderCode: 'SO-41007',
      customer: { name: 'Dunmore' },
      schedule: { onHold: true },
      products: [],
    },
  ],
  apiKeys: [{ principal: 'shop', key: 'shop-key-01234567890', role: 'technician' }],
  users: [
    { name: 'pat', role: 'technician', password: PASSWORD },
    { name: 'admin', role: 'admin', password: PASSWORD },
  ],
};

/** The real gateway with a page open in a real browser. */
export class PageUnderTest {
  #program: Program | null = null;
  origin = '';
  #page: Page | null = null;
  /** The person who is signed in on the page; null while `openAgain` may not use the page. */
  #person: string | null = null;
  readonly #faults = new Faults();
  #bootMs = 1_000_000;
  #scans = 0;

  static async start(options: ProgramOptions = {}): Promise<PageUnderTest> {
    const gate = new PageUnderTest();
    await gate.begin(options);
    return gate;
  }

  async begin(options: ProgramOptions = {}): Promise<void> {
    this.program = await Program.start({ plant: JSON.stringify(PLANT), ...options });
    this.origin = `http://127.0.0.1:${this.program.httpPort}`;
  }

  get program(): Program {
    if (this.#program === null) throw new Error('the gateway does not run yet');
    return this.#program;
  }

  set program(program: Program) {
    this.#program = program;
  }

  /** Starts the killed gateway again at the same address. */
  async startAgain(options: ProgramOptions = {}): Promise<void> {
    this.program = await this.program.startAgain(options);
    // The browser told of the break.
    this.forgive('ERR_');
  }

  /** Ends the sessions of all people while the gateway is stopped, as a restored backup does (D-96). */
  endSessions(): void {
    const database = new Database(path.join(this.program.dir, 'data/plantgate.db'));
    database.exec('DELETE FROM person_session');
    database.close();
  }

  get page(): Page {
    if (this.#page === null) throw new Error('no page is open');
    return this.#page;
  }

  /** Opens a browser context. It shares neither cookies nor storage with other contexts. The caller closes it. */
  async newContext(options: BrowserContextOptions = {}): Promise<BrowserContext> {
    const browser = await openBrowser();
    return browser.newContext({ locale: 'en-US', reducedMotion: 'reduce', ...options });
  }

  /** Opens a place in a browser of its own. */
  async visit(place: string, options: BrowserContextOptions = {}): Promise<Page> {
    await this.#newPage(options);
    await this.page.goto(`${this.origin}${place}`);
    return this.page;
  }

  async #newPage(options: BrowserContextOptions): Promise<void> {
    await this.leave();
    const context = await this.newContext({ viewport: { width: 1280, height: 800 }, ...options });
    this.#page = await context.newPage();
    this.#faults.watch(this.#page, this.origin);
  }

  /** Opens a place as a person who has signed in before: the form costs as much as the place (`signIn` fills it). */
  async open(place: string, options: BrowserContextOptions & { readonly as?: string } = {}): Promise<Page> {
    const { as = 'pat', ...context } = options;
    await this.#newPage(context);
    const data = { name: as, password: PASSWORD };
    const answer = await this.page.request.post(`${this.origin}/api/local/session`, { data });
    expect(answer.status()).toBe(200);
    // A browser of another size, say, is of no use to the next test.
    this.#person = Object.keys(context).length === 0 ? as : null;
    return this.#load(place);
  }

  async #load(place: string): Promise<Page> {
    await this.page.goto(`${this.origin}${place}`);
    await this.page.locator('.stage, .tv').waitFor();
    return this.page;
  }

  /**
   * Loads a place in the browser that the last test left by `rest`, if the same person is signed in there and no more is
   * stored: a new browser costs as much as the place.
   */
  async openAgain(place: string, as = 'pat'): Promise<Page> {
    if (this.#person !== as || !(await this.#hasOnlyItsSession())) return this.open(place, { as });
    this.#faults.watch(this.page, this.origin);
    return this.#load(place);
  }

  async #hasOnlyItsSession(): Promise<boolean> {
    const cookies = await this.page.context().cookies();
    if (cookies.map(({ name }) => name).join() !== 'plantgate-session') return false;
    return (await this.page.request.get(`${this.origin}/api/local/session`)).ok();
  }

  /**
   * The page allows for a second in which a person cannot have seen a change of another one. From now on it allows for
   * none, so that no test waits for it.
   */
  async seeAtOnce(): Promise<void> {
    await this.page.route('**/api/**', (route) => {
      const headers = route.request().headers();
      const ageMs = Number(headers['plantgate-seen-age']);
      if (Number.isNaN(ageMs)) return route.continue();
      return route.continue({ headers: { ...headers, 'plantgate-seen-age': String(ageMs - UNSEEN_MS) } });
    });
  }

  /** Leaves the place, but keeps the browser for `openAgain`. */
  async rest(): Promise<void> {
    if (this.#page === null) return;
    for (const event of ['pageerror', 'console', 'request'] as const) this.page.removeAllListeners(event);
    await this.page.unrouteAll();
    await this.page.goto(`${this.origin}/healthz`);
    await this.page.evaluate('localStorage.clear(); sessionStorage.clear()');
    this.#faults.expectNone();
  }

  /** Goes to another place as a link of the page does, without loading the page again. */
  async follow(place: string): Promise<void> {
    await this.page.evaluate(
      `history.pushState(null, '', ${JSON.stringify(place)}); dispatchEvent(new Event('popstate'))`,
    );
  }

  async signIn(name = 'pat'): Promise<void> {
    await this.page.getByLabel(/^Name$/).fill(name);
    await this.page.getByLabel(/Password|Passwort/).fill(PASSWORD);
    await this.page.keyboard.press('Enter');
    await this.page.locator('.stage, .tv').waitFor();
  }

  /** An administrator at the place Admin makes a panel of this browser, and is signed out by that. */
  async makePanel(): Promise<void> {
    const { page } = this;
    await page.getByRole('button', { name: 'People' }).click();
    await page.getByRole('button', { name: 'Make this browser a panel' }).click();
    await page.getByLabel('Name of the panel').fill('Panel by line 4');
    await page.getByRole('dialog').getByRole('button', { name: 'Make this browser a panel' }).click();
  }

  headline(): Promise<string | null> {
    return this.page.locator('h1').textContent();
  }

  async expectHeadline(text: string): Promise<void> {
    await expect.poll(() => this.headline()).toBe(text);
  }

  /** Takes the task T-1005 at the list of tasks and scans its coil: the driver is on the way to RF-01. */
  async takeCoil(): Promise<void> {
    await this.page.getByRole('button', { name: 'Take T-1005' }).click();
    await this.expectHeadline('T-1005 to RF-01');
    await this.scan('C-70009');
    await this.page.getByRole('button', { name: 'Arrived at RF-01' }).waitFor();
  }

  /**
   * Acts as a wedge scanner: types fast, and ends in Enter. In the page itself, because CI may be slower than a scanner.
   * True: the last key did nothing else.
   */
  async scan(code: string, ends: readonly string[] = ['Enter']): Promise<boolean> {
    this.#scans += 1;
    return this.page.evaluate<boolean>(`{
      const init = { bubbles: true, cancelable: true };
      const timeStamp = { value: performance.now() };
      const press = (key) => {
        const event = Object.defineProperty(new KeyboardEvent('keydown', { key, ...init }), 'timeStamp', timeStamp);
        return document.activeElement.dispatchEvent(event);
      };
      ${JSON.stringify([...code, ...ends])}.map((key) => !press(key)).at(-1);
    }`);
  }

  /** Counts touches and scans from now on, until the page is loaded again. */
  async countHands(): Promise<void> {
    this.#scans = 0;
    await this.page.evaluate(
      "window.touches = 0; addEventListener('pointerdown', () => { touches += 1; }, { capture: true })",
    );
  }

  async hands(): Promise<{ readonly touches: unknown; readonly scans: number }> {
    return { touches: await this.page.evaluate('window.touches'), scans: this.#scans };
  }

  /** Sends a status as a PLC. */
  async say(machineId: string, fields: object): Promise<void> {
    this.#bootMs += 1_000;
    const status = statusOf({ machineId, mSecSinceBoot: this.#bootMs, ...fields });
    expect((await this.program.device('status', status)).status).toBe(200);
  }

  /** RF-01 ran and stopped; RF-02 has no part; RF-03 reports a fault; RF-04 runs. */
  async plantAtWork(): Promise<void> {
    await this.say('RF-01', { partId: 'P-210', running: true });
    await this.stayAtWork();
  }

  /** The machines of `plantAtWork` are heard again: a machine that is silent for long may not run. */
  async stayAtWork(): Promise<void> {
    await this.say('RF-01', { partId: 'P-210', running: false });
    await this.say('RF-02', { running: false });
    await this.say('RF-03', { partId: 'P-100', running: false, fault: true });
    await this.say('RF-04', { partId: 'P-100', running: true, goodPart: 1_234 });
  }

  /** The answer of the business interface. */
  async business(place: string): Promise<unknown> {
    const headers = { authorization: 'ApiKey shop-key-01234567890' };
    const response = await fetch(`${this.origin}/api/v1${place}`, { headers });
    return response.json();
  }

  /** A break of the line is told to the console by the browser itself. */
  forgive(text: string): void {
    this.#faults.forgive(text);
  }

  async leave(): Promise<void> {
    await this.#page?.context().close();
    this.#page = null;
    this.#person = null;
    this.#faults.expectNone();
  }

  async end(): Promise<void> {
    await this.leave().finally(() => this.program.end());
  }
}

/**
 * One gateway for all tests of a file: each test undoes the changes that another test would see. `rest` keeps the browser
 * for the next test, `leave` closes it.
 */
export function usePage(
  after: 'rest' | 'leave',
  options: ProgramOptions = {},
  prepare: (gate: PageUnderTest) => Promise<unknown> = async () => undefined,
): PageUnderTest {
  const gate = new PageUnderTest();
  beforeAll(async () => {
    await gate.begin(options);
    await prepare(gate);
  });
  afterEach(() => gate[after]());
  afterAll(() => gate.end());
  return gate;
}
