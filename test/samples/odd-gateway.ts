import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { Aedes } from 'aedes';

/** Answers each status with a text that the test sets, which the real gateway would never send. */
export interface OddGateway {
  readonly port: number;
  answer: string;
  /** Statuses that came. */
  readonly statuses: readonly string[];
  /** Messages on other topics, as `topic payload`; a retained one ends in `retained`. */
  readonly others: readonly string[];
  /** Passwords of the clients that connected with a user name and a password. */
  readonly passwords: readonly string[];
  close(): void;
}

/** The first `unanswered` connections are taken and hear nothing. */
export async function oddMqttGateway(answer: string, unanswered = 0): Promise<OddGateway> {
  const broker = await Aedes.createBroker();
  let left = unanswered;
  const server = createServer((socket) => {
    if (left-- <= 0) broker.handle(socket);
  });
  const odd = await opened(server, answer, () => broker.close());
  broker.authenticate = (_client, username, password, done) => {
    if (username !== undefined && password !== undefined) odd.passwords.push(password.toString());
    done(null, true);
  };
  broker.on('publish', ({ topic, payload, retain }, client) => {
    if (client === null && !topic.endsWith('/lwt')) return;
    if (!topic.endsWith('/status')) {
      odd.others.push(`${topic} ${payload}${retain ? ' retained' : ''}`);
      return;
    }
    odd.statuses.push(payload.toString());
    const publish = (name: string, payload: string) =>
      broker.publish(
        { cmd: 'publish', topic: topic.replace(/status$/, name), payload, qos: 1, retain: false, dup: false },
        () => undefined,
      );
    publish('command', odd.answer);
    publish('command/run-enabled', '0');
  });
  return odd;
}

export async function oddHttpGateway(answer: string): Promise<OddGateway> {
  const server = createHttpServer(async (request, response) => {
    odd.statuses.push((await request.toArray()).join(''));
    // As the gateway does (D-11).
    response.statusCode = odd.answer.includes('Server error') ? 500 : 200;
    response.setHeader('content-type', 'application/json').end(odd.answer);
  });
  const odd = await opened(server, answer, () => server.closeAllConnections());
  return odd;
}

async function opened(server: Server, answer: string, close: () => void) {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    answer,
    statuses: [] as string[],
    others: [] as string[],
    passwords: [] as string[],
    close: () => {
      close();
      server.close();
    },
  };
}
