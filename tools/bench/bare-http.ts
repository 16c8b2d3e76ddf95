import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { bareAnswer, ready } from './bare-answer.ts';

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const [[, body] = ['', '']] = bareAnswer(Buffer.concat(chunks).toString());
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) });
    response.end(body);
  });
});
server.listen(0, '127.0.0.1', 4_096, () => ready((server.address() as AddressInfo).port));
process.on('SIGTERM', () => process.exit(0));
