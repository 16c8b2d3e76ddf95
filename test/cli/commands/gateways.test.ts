import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { sendJson, useCliBeside } from '../program-under-test.ts';

const GATEWAYS = [
  {
    gatewayId: 'line 3/a',
    name: 'Dayton',
    health: { version: '2.4.1' },
    troubles: [{ kind: 'silent' }, { kind: 'version' }],
    stream: 'original',
    lastContactAt: '2026-01-01T10:00:00.000Z',
    principal: 'plant-1',
    records: 9,
    machines: 2,
    streams: 1,
    refused: [
      {
        stream: 'copy',
        since: '2026-01-01T09:00:00.000Z',
        lastHeardAt: '2026-01-01T09:30:00.000Z',
        principal: 'plant-1',
      },
    ],
  },
];

const { cli, requests } = useCliBeside(answer);

function answer(path: string, response: ServerResponse): void {
  if (path === '/api/local/gateways') sendJson(response, GATEWAYS);
  else if (requests.at(-1)?.body.includes('"copy"') || path.endsWith('/line%203%2Fa')) response.writeHead(204).end();
  else sendJson(response, { errors: ['stream: found nobody'] }, 404);
}

describe('plantgate gateways', () => {
  it('D-27 list shows the gateways that send here, and refused data directories', async () => {
    const { exitCode, out } = await cli.run('gateways', 'list');
    expect(exitCode).toBe(0);
    expect(out).toEqual([
      'GATEWAY            STREAM    STANDING                                KEY      LAST HEARD                MACHINES  VERSION  TROUBLE',
      'Dayton (line 3/a)  original  taken                                   plant-1  2026-01-01T10:00:00.000Z  2         2.4.1    silent, version',
      'Dayton (line 3/a)  copy      refused since 2026-01-01T09:00:00.000Z  plant-1  2026-01-01T09:30:00.000Z  -         -        -',
    ]);
    const asJson = await cli.run('gateways', 'list', '--json');
    expect(JSON.parse(asJson.out.join('\n'))).toEqual(GATEWAYS);
  });

  it('D-27 grant gives the name to the other data directory, and reports a stream that is not refused', async () => {
    const granted = await cli.run('gateways', 'grant', 'line 3/a', 'copy');
    expect(granted).toMatchObject({ exitCode: 0, out: [expect.stringContaining('copy is line 3/a from now on')] });
    expect(requests.map(({ method, path, body }) => `${method} ${path} ${body}`)).toEqual([
      'POST /api/local/gateways/grant {"gatewayId":"line 3/a","stream":"copy"}',
    ]);
    const unknown = await cli.run('gateways', 'grant', 'line 3/a', 'nobody');
    expect([unknown.exitCode, unknown.err.join()]).toEqual([64, expect.stringContaining('stream: found nobody')]);
    expect((await cli.run('gateways', 'grant', 'line 3/a')).exitCode).toBe(64);
  });

  it.each([
    [['rename', 'line 3/a', 'Dayton'], 'PUT', '{"name":"Dayton"}', 'is called Dayton'],
    [['rename', 'line 3/a'], 'PUT', '{"name":null}', 'has no other name'],
    [['retire', 'line 3/a'], 'DELETE', '', 'is retired'],
  ])('D-98 %j asks the gateway, and says what it did', async (words, method, body, said) => {
    requests.length = 0;
    expect(await cli.run('gateways', ...words)).toMatchObject({ exitCode: 0, out: [expect.stringContaining(said)] });
    expect(requests).toMatchObject([{ method, path: '/api/local/gateways/line%203%2Fa', body }]);
    const [act = ''] = words;
    const unknown = await cli.run('gateways', act, 'nobody');
    expect([unknown.exitCode, unknown.err.join()]).toEqual([64, expect.stringContaining('gateways list')]);
  });
});
