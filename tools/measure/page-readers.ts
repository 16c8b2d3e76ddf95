import { type ClientRequest, get, type IncomingMessage } from 'node:http';

/** The orders to a process that listens to the events of a gateway as so many pages do. */
export interface ReadersPlan {
  readonly url: string;
  /** One for each page. */
  readonly keys: readonly string[];
  /** So many of them stop reading after their first event, as a page in a computer that sleeps. */
  readonly stalled: number;
}

/** Figures of what they heard. */
export interface ReadersReport {
  readonly open: number;
  readonly bytes: number;
  /** How often one was cut off, and came back. */
  readonly cutOff: number;
}

const COME_BACK_MS = 2_000;

let bytes = 0;
let cutOff = 0;
let isOver = false;
const open = new Set<IncomingMessage>();
const requests = new Set<ClientRequest>();

function listen(plan: ReadersPlan, key: string, isStalled: boolean): void {
  const comeBack = () => {
    if (isOver) return;
    cutOff++;
    setTimeout(() => !isOver && listen(plan, key, isStalled), COME_BACK_MS);
  };
  const headers = { authorization: `ApiKey ${key}` };
  const request = get(`${plan.url}/api/local/events?fields=changed`, { headers, agent: false }, (response) => {
    if (response.statusCode !== 200) throw new Error(`/api/local/events answered ${response.statusCode}`);
    open.add(response);
    response.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (isStalled) response.pause();
    });
    response.on('close', () => {
      open.delete(response);
      requests.delete(request);
      comeBack();
    });
    response.on('error', () => response.destroy());
  });
  requests.add(request);
  request.on('error', () => requests.delete(request));
}

process.on('message', (order: ReadersPlan | 'report' | 'end') => {
  if (order === 'report') process.send?.({ open: open.size, bytes, cutOff } satisfies ReadersReport);
  else if (order === 'end') {
    isOver = true;
    for (const request of requests) request.destroy();
    process.disconnect();
  } else order.keys.forEach((key, page) => void listen(order, key, page < order.stalled));
});
