import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';

interface AskedRequest {
  readonly method: string;
  readonly path: string;
  readonly authorization: string;
  readonly body: string;
}

export interface AnsweringServer {
  readonly url: string;
  readonly port: number;
  readonly requests: AskedRequest[];
  close(): Promise<void>;
}

/** An HTTP server that treats each request as the test says; `answer` may leave it without an end. */
export async function answeringServer(
  answer: (path: string, response: ServerResponse) => void,
  port = 0,
): Promise<AnsweringServer> {
  const requests: AskedRequest[] = [];
  const server = createServer((request: IncomingMessage, response) => {
    const { method = '', url: path = '', headers } = request;
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => {
      body += text;
    });
    request.on('end', () => {
      requests.push({ method, path, authorization: headers.authorization ?? '', body });
      answer(path, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const address = server.address();
  const bound = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${bound}`,
    port: bound,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

export function sendJson(response: ServerResponse, body: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
