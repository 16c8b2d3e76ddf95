import type { IncomingMessage, ServerResponse } from 'node:http';
import { CodedError } from '../../../domain/error.ts';
import { errorStack } from '../../../domain/error-text.ts';
import { type Decision, INTERNAL_ERROR_DECISION } from '../../../domain/machine/decision.ts';
import type { DeviceInbox, MessageOrigin } from '../../../flows/device/device-ports.ts';
import type { Clock, Incidents } from '../../../flows/ports.ts';
import { errorBody } from '../answers/error-answer.ts';
import { originFault } from '../guards/host-guard.ts';
import { LIMITS } from '../limits.ts';
import { addressOf } from '../requests/client.ts';
import { type RequestBodies, textOf, withoutBody } from '../requests/request-bodies.ts';
import { answerUnread, send } from './send.ts';

export type DeviceEndpoint = 'status' | 'vars';

export interface DeviceEndpointOptions {
  readonly inbox: Pick<DeviceInbox, 'namedStatus' | 'namedVariables' | 'undecoded'>;
  readonly bodies: RequestBodies;
  readonly clock: Clock;
  readonly incidents: Incidents;
  /** Whether the Host of a request is the gateway's own; called only for requests of browsers. */
  readonly isOwnHost: (request: IncomingMessage) => boolean;
  readonly onAnswer: (endpoint: DeviceEndpoint, status: number) => void;
}

const ENDPOINTS: ReadonlyMap<string, DeviceEndpoint> = new Map([
  ['/api/device/status', 'status'],
  ['/api/device/status/', 'status'],
  ['/api/device/vars', 'vars'],
  ['/api/device/vars/', 'vars'],
]);

/**
 * The two device endpoints (HTTP-01 to HTTP-05), in front of koa because they carry most of the traffic. PLCs, and
 * people who try it with curl, send any content type or none: the body decides. There is no authentication (HTTP-04),
 * but a request that a browser sends for another site is refused (403), because no device is a browser.
 */
export class DeviceEndpoints {
  readonly #options: DeviceEndpointOptions;
  #latestMs = Number.NaN;
  #latestTimestamp = '';

  constructor(options: DeviceEndpointOptions) {
    this.#options = options;
  }

  /** Whether the request was for a device endpoint, and is being answered. */
  handle(request: IncomingMessage, response: ServerResponse): boolean {
    const endpoint = endpointOf(request.url ?? '');
    if (endpoint === undefined) return false;
    const refusal = refusalOf(request, this.#options.isOwnHost);
    if (refusal !== null) {
      const [status, message, headers = []] = refusal;
      this.#note(endpoint, request, new CodedError('invalid-input', message));
      answerUnread(request, response, status, JSON.stringify({ errors: [message] }), headers);
      this.#options.onAnswer(endpoint, status);
      return true;
    }
    this.#options.bodies.readBytes(request, LIMITS.deviceBodyBytes, (body) => {
      if (body.ok) this.#take(endpoint, request, response, body.bytes);
      else this.#refuseUnread(endpoint, request, response, body.error);
    });
    return true;
  }

  #take(endpoint: DeviceEndpoint, request: IncomingMessage, response: ServerResponse, bytes: Buffer | null): void {
    const read = bytes === null ? ({ ok: false, error: withoutBody(request) } as const) : textOf(bytes);
    if (!read.ok) this.#refuseUndecoded(endpoint, request, response, bytes, read.error);
    else if (endpoint === 'status') this.#status(request, response, read.text);
    else void this.#variables(request, response, read.text);
  }

  #refuseUndecoded(
    endpoint: DeviceEndpoint,
    request: IncomingMessage,
    response: ServerResponse,
    bytes: Buffer | null,
    refusal: CodedError,
  ): void {
    if (bytes === null) this.#note(endpoint, request, refusal);
    else this.#options.inbox.undecoded(endpoint, bytes, refusal, originOf(request));
    this.#answer(endpoint, response, 400, JSON.stringify(errorBody(refusal)));
  }

  #status(request: IncomingMessage, response: ServerResponse, text: string): void {
    try {
      const answer = this.#options.inbox.namedStatus(text, originOf(request));
      if (answer.kind === 'refused') {
        this.#answer('status', response, 400, JSON.stringify(errorBody(answer.error)));
        return;
      }
      const { machineId } = answer;
      const status = answer.kind === 'failed' ? 500 : 200;
      this.#answer('status', response, status, commandJson(machineId, answer.decision, this.#timestamp()));
    } catch (error) {
      this.#fail('status', response, error);
    }
  }

  /**
   * Answers variables once they are on disk, or with 500 after `variablesStoredWithinMs`. The device may use the same
   * connection for its next status, so the answer must not wait for a full disk.
   */
  async #variables(request: IncomingMessage, response: ServerResponse, text: string): Promise<void> {
    const { promise: late, reject } = Promise.withResolvers<never>();
    const tooLate = new CodedError('store-unavailable', 'vars: the disk did not take them in time');
    const timer = setTimeout(() => reject(tooLate), LIMITS.variablesStoredWithinMs);
    try {
      const stored = this.#options.inbox.namedVariables(text, originOf(request));
      const refusal = await Promise.race([stored, late]);
      if (refusal !== null) this.#answer('vars', response, 400, JSON.stringify(errorBody(refusal)));
      else this.#answer('vars', response, 200, '');
    } catch (error) {
      this.#fail('vars', response, error);
    } finally {
      clearTimeout(timer);
    }
  }

  #refuseUnread(endpoint: DeviceEndpoint, request: IncomingMessage, response: ServerResponse, error: CodedError): void {
    this.#note(endpoint, request, error);
    const body = JSON.stringify(errorBody(error));
    if (error.code !== 'too-large') {
      this.#answer(endpoint, response, 400, body);
      return;
    }
    answerUnread(request, response, 413, body, []);
    this.#options.onAnswer(endpoint, 413);
  }

  /** Reports a request whose body the flow never gets. The flow reports the faults of all others. */
  #note(endpoint: DeviceEndpoint, request: IncomingMessage, error: CodedError): void {
    const subject = `http ${addressOf(request)}`;
    const kind = error.code === 'too-large' ? 'packetTooLarge' : 'malformed';
    this.#options.incidents.report({ kind, subject, detail: `${endpoint}: ${error.message}` });
  }

  /** D-11: the answer is safe for a device that reads only the fields of a command. */
  #fail(endpoint: DeviceEndpoint, response: ServerResponse, error: unknown): void {
    if (!(error instanceof CodedError)) {
      const detail = errorStack(error);
      this.#options.incidents.report({ kind: 'internal', subject: `http ${endpoint}`, detail });
    }
    this.#answer(endpoint, response, 500, commandJson(null, INTERNAL_ERROR_DECISION, this.#timestamp()));
  }

  #answer(endpoint: DeviceEndpoint, response: ServerResponse, status: number, body: string): void {
    send(response, status, body, []);
    this.#options.onAnswer(endpoint, status);
  }

  /** The text is made once for all answers in one millisecond. */
  #timestamp(): string {
    const nowMs = Math.floor(this.#options.clock.now().wallMs);
    if (nowMs !== this.#latestMs) this.#latestTimestamp = new Date(nowMs).toISOString();
    this.#latestMs = nowMs;
    return this.#latestTimestamp;
  }
}

function originOf(request: IncomingMessage): MessageOrigin {
  return { transport: 'http', duplicate: false, address: addressOf(request) };
}

function endpointOf(url: string): DeviceEndpoint | undefined {
  const exact = ENDPOINTS.get(url);
  if (exact !== undefined) return exact;
  const path = url.startsWith('http://') || url.startsWith('https://') ? url.replace(/^https?:\/\/[^/]*/, '') : url;
  const queryAt = path.indexOf('?');
  return ENDPOINTS.get(queryAt === -1 ? path : path.slice(0, queryAt));
}

function refusalOf(
  request: IncomingMessage,
  isOwnHost: (request: IncomingMessage) => boolean,
): readonly [number, string, string[]?] | null {
  if (request.method !== 'POST') {
    return [405, `method: found ${request.method}, expected POST`, ['Allow', 'POST']];
  }
  const fault = originFault(request);
  if (fault !== null) return [403, fault];
  // A page whose name was made to point here has an Origin that agrees with its Host.
  if (request.headers.origin !== undefined && !isOwnHost(request)) {
    return [403, 'Origin: sent with a Host that is not the gateway: pages of other sites may not write here'];
  }
  return null;
}

/** A Command as JSON (interface.md, Command), written by hand because most answers are commands (DEV-19). */
function commandJson(machineId: string | null, decision: Decision, timestamp: string): string {
  const { runEnabled, attentionNeeded, message } = decision;
  const named = machineId === null ? '' : `"machineId":"${machineId}",`;
  const said = message === null ? 'null' : `"${message}"`;
  return `{${named}"runEnabled":${runEnabled},"attentionNeeded":${attentionNeeded},"message":${said},"timestamp":"${timestamp}"}`;
}
