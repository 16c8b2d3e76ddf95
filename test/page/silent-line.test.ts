import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { shoot } from './browser.ts';
import { Calls } from './calls.ts';
import { usePage } from './page-under-test.ts';

/** The page opens the line again after 40 s without an event, after 18 s if a call got no answer, and every 10 s then. */
const [LONG_MS, DOUBTED_MS, AGAIN_MS] = [41_000, 19_000, 11_000];

let line: SilentLine;
let calls: Calls;

const gate = usePage('leave');
beforeEach(async () => {
  line = await SilentLine.to(gate.program.httpPort);
  gate.origin = `http://127.0.0.1:${line.port}`;
  await sayFault('RF-03', false);
  const page = await gate.open('/more');
  await page.clock.install();
  await page.addInitScript(`
    const Source = EventSource;
    window.EventSource = class extends Source {
      constructor(address) {
        super(address);
        window.source = this;
        window.opened = (window.opened ?? 0) + 1;
      }
    };
    window.EventSource.OPEN = 1;`);
  calls = new Calls(page);
  await page.goto(gate.origin);
  await expect.poll(() => page.evaluate('window.source?.readyState')).toBe(1);
  await gate.expectHeadline('No machine needs a person');
  // A jump of the clock ends the time of each open call, and the page would doubt the line.
  await calls.expectQuiet();
});
afterEach(async () => {
  await gate.leave();
  line.end();
});

const banner = () => gate.page.getByText('No connection to the gateway since');

async function sayFault(machineId: string, fault: boolean): Promise<void> {
  await gate.say(machineId, { partId: 'P-100', running: true, fault });
}

it('UP-07 a task that the central server removed leaves the list', async () => {
  const { page } = gate;
  await gate.follow('/tasks');
  await page.getByRole('button', { name: 'Take T-1005' }).waitFor();
  await page.route('**/api/v1/warehouseTasks?*', (route) => route.fulfill({ json: [] }));
  const data = JSON.stringify({ mirrored: 'tasks', changes: 1 });
  await page.evaluate(`source.dispatchEvent(new MessageEvent('sync', { data: ${JSON.stringify(data)} }))`);
  await page.getByRole('button', { name: 'Take T-1005' }).waitFor({ state: 'detached' });
});

describe('a connection that breaks silently', () => {
  it('is reported after a silence, and the page is up to date once it is back', async () => {
    const { page } = gate;
    line.isBroken = true;
    await sayFault('RF-03', true);
    await page.clock.fastForward(LONG_MS);
    await banner().waitFor();
    await shoot(page, 'silent-line');
    expect(await gate.headline()).toBe('No machine needs a person');
    line.isBroken = false;
    await page.clock.fastForward(AGAIN_MS);
    await gate.expectHeadline('1 machine needs a person');
    await expect.poll(() => banner().count()).toBe(0);
  });

  it('is reported above the settings of the first run as well', async () => {
    const { page } = gate;
    await gate.follow('/set-up');
    line.isBroken = true;
    await page.clock.fastForward(LONG_MS);
    await banner().waitFor();
    await shoot(page, 'silent-line-set-up');
  });

  it('is not reported while signs of life come', async () => {
    const { page } = gate;
    const opened = await page.evaluate('window.opened');
    for (const _ of [1, 2, 3]) {
      await page.clock.fastForward(LONG_MS / 2);
      await calls.expectQuiet();
      await page.evaluate("source.dispatchEvent(new MessageEvent('beat', { data: '{}' }))");
    }
    await page.clock.fastForward(LONG_MS / 2);
    expect(await page.evaluate('window.opened')).toBe(opened);
    expect(await banner().count()).toBe(0);
  });

  it('is reported sooner after a call without an answer, but not at once', async () => {
    const { page } = gate;
    await page.route('**/api/local/session?everywhere=true', (route) => route.abort());
    await page.getByRole('link', { name: 'Signed in as pat' }).first().click();
    const refusal = page.getByText('The gateway did not answer');
    await page.getByRole('button', { name: 'everywhere' }).click();
    await refusal.waitFor();
    expect(await banner().count()).toBe(0);
    line.isBroken = true;
    await page.clock.fastForward(DOUBTED_MS);
    await banner().waitFor();
    gate.forgive('ERR_FAILED');
  });

  it('leaves a notice in the list of past stops, which is filled once it is back', async () => {
    const { page } = gate;
    for (const running of [true, false]) await gate.say('RF-04', { partId: 'P-100', running });
    await gate.expectHeadline('1 machine needs a person');
    line.isBroken = true;
    await page.getByRole('link', { name: 'Stops' }).first().click();
    const past = page.getByRole('region', { name: 'Stops of the last 24 hours' });
    await past.getByText('Waiting for the gateway.').waitFor();
    await page.getByText('The gateway did not answer').waitFor({ timeout: 15_000 });
    await shoot(page, 'silent-line-stops');
    await page.clock.fastForward(LONG_MS);
    await banner().waitFor();
    line.isBroken = false;
    await page.clock.fastForward(AGAIN_MS);
    await past.getByText('no reason yet').waitFor();
    await expect.poll(() => banner().count()).toBe(0);
  });
});

/** A line to a port that can break as a pulled cable behind a switch does: its sockets stay open, and no byte passes. */
class SilentLine {
  readonly port: number;
  readonly #server: Server;
  readonly #sockets: Set<Socket>;
  isBroken = false;

  private constructor(port: number, server: Server, sockets: Set<Socket>) {
    this.port = port;
    this.#server = server;
    this.#sockets = sockets;
  }

  static async to(port: number): Promise<SilentLine> {
    const sockets = new Set<Socket>();
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    const line = new SilentLine(typeof address === 'object' && address !== null ? address.port : 0, server, sockets);
    server.on('connection', (near) => {
      const far = connect(port, '127.0.0.1');
      line.#carry(near, far);
      line.#carry(far, near);
    });
    return line;
  }

  #carry(from: Socket, to: Socket): void {
    // Bytes were lost: a connection that was used in the break stays silent after it.
    let isLost = false;
    this.#sockets.add(from);
    from.on('data', (bytes) => {
      isLost ||= this.isBroken;
      if (!isLost) to.write(bytes);
    });
    from.on('error', () => from.destroy());
    from.on('close', () => {
      this.#sockets.delete(from);
      if (!this.isBroken) to.destroy();
    });
  }

  end(): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }
}
