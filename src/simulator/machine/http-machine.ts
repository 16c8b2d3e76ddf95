import { errorMessage } from '../../domain/error-text.ts';
import { readCommand } from './command-message.ts';
import type { DeviceLink, LinkListener } from './device-link.ts';
import type { SimulatedMachine } from './machine-design.ts';
import { rounded } from './readings.ts';
import type { Readings, SimulatedState } from './simulated-state.ts';
import { statusJson } from './status-message.ts';

const REQUEST_TIMEOUT_MS = 5_000;
/** interface.md, Errors: exponential back-off on network faults, 5 s after a 500. */
const SERVER_ERROR_PAUSE_MS = 5_000;
const FIRST_RETRY_MS = 500;
const LONGEST_RETRY_MS = 8_000;

/** A machine that repeats its status over HTTP and reads the command from each answer (HTTP-01). */
export class HttpMachine implements DeviceLink {
  readonly #url: string;
  readonly #machine: SimulatedMachine;
  readonly #listener: LinkListener;
  readonly #closing = new AbortController();
  #isLinked = false;
  #isAsking = false;
  #askAgainAtMs = 0;
  #retryMs = FIRST_RETRY_MS;

  constructor(url: string, machine: SimulatedMachine, listener: LinkListener) {
    this.#url = url.replace(/\/+$/, '');
    this.#machine = machine;
    this.#listener = listener;
  }

  get isLinked(): boolean {
    return this.#isLinked;
  }

  sendStatus(state: SimulatedState): void {
    if (this.#isAsking || performance.now() < this.#askAgainAtMs) return;
    this.#isAsking = true;
    this.#ask(statusJson(state)).finally(() => {
      this.#isAsking = false;
    });
  }

  sendReadings(readings: Readings): void {
    if (!this.#isLinked) return;
    const body = JSON.stringify({ machineId: this.#machine.machineId, ...rounded(readings) });
    this.#post('vars', body)
      .then((answer) => answer.text())
      .catch((error: unknown) => this.#tell('vars', error));
  }

  reboot(): void {
    this.#isLinked = false;
  }

  async close(): Promise<void> {
    this.#closing.abort();
  }

  async #ask(body: string): Promise<void> {
    try {
      const answer = await this.#post('status', body);
      this.#take(answer.status, await answer.text());
    } catch (error) {
      this.#isLinked = false;
      this.#pause(this.#retryMs);
      this.#retryMs = Math.min(this.#retryMs * 2, LONGEST_RETRY_MS);
      this.#tell('status', error);
    }
  }

  #take(status: number, text: string): void {
    this.#isLinked = true;
    this.#retryMs = FIRST_RETRY_MS;
    if (status === 200) this.#listener.onStatusSent();
    else this.#listener.onTrouble(`status answered ${status}: ${text.slice(0, 200)}`);
    if (status >= 400) this.#pause(SERVER_ERROR_PAUSE_MS);
    this.#listener.onCommand(readCommand(text));
  }

  #post(endpoint: 'status' | 'vars', body: string): Promise<Response> {
    return fetch(`${this.#url}/api/device/${endpoint}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
      signal: AbortSignal.any([this.#closing.signal, AbortSignal.timeout(REQUEST_TIMEOUT_MS)]),
    });
  }

  #pause(pauseMs: number): void {
    this.#askAgainAtMs = performance.now() + pauseMs;
  }

  #tell(what: string, error: unknown): void {
    if (this.#closing.signal.aborted) return;
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    this.#listener.onTrouble(`${what} was not sent: ${errorMessage(cause)}`);
  }
}
