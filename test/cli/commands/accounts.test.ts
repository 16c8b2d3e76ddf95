import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { sendJson, useCliBeside } from '../program-under-test.ts';

const { cli, requests } = useCliBeside(answer);

const RELAY = { name: 'relay', clientId: 'kep-1', read: ['plant1/#', 'hall/%c'], write: [], machines: ['RF-01'] };

function answer(path: string, response: ServerResponse): void {
  const { method } = requests.at(-1) ?? {};
  if (method === 'GET') sendJson(response, [RELAY, { ...RELAY, name: 'wall', clientId: null, machines: [] }]);
  else if (method === 'DELETE' && path.endsWith('/relay')) response.writeHead(204).end();
  else if (method === 'DELETE') sendJson(response, { errors: ['No MQTT account with id "wal"'] }, 404);
  else sendJson(response, {}, 201);
}

describe('D-66 plantgate account', () => {
  it('add sends the rights and the password from standard input, and does not print it', async () => {
    cli.secret = 'rolls and coils';
    const rights = [
      '--read',
      'plant1/#',
      'hall/%c',
      '--machine',
      'RF-01',
      '--machine',
      'RF-02',
      '--client-id',
      'kep-1',
    ];
    const { exitCode, out, err } = await cli.run('account', 'add', 'relay', ...rights);
    expect({ exitCode, out, err }).toEqual({
      exitCode: 0,
      out: ['Clients with the user name relay may connect over MQTT.'],
      err: [],
    });
    expect(requests).toMatchObject([{ method: 'POST' }]);
    expect(JSON.parse(requests[0]?.body ?? '')).toEqual({
      ...RELAY,
      machines: ['RF-01', 'RF-02'],
      password: 'rolls and coils',
    });
  });

  it.each([
    ['without a password', ['account', 'add', 'wall']],
    ['without a name', ['account', 'add']],
  ])('add sends no request to the gateway %s', async (_, words) => {
    expect((await cli.run(...words)).exitCode).toBe(64);
    expect(requests).toEqual([]);
  });

  it('list names every account with its rights', async () => {
    expect((await cli.run('account', 'list')).out).toEqual([
      'NAME   CLIENT ID  READ              WRITE  MACHINES',
      'relay  kep-1      plant1/# hall/%c  -      RF-01',
      'wall   -          plant1/# hall/%c  -      -',
    ]);
    expect(JSON.parse((await cli.run('account', 'list', '--json')).out.join(''))).toMatchObject([RELAY, {}]);
  });

  it('revoke removes an account, and reports an unknown name', async () => {
    expect(await cli.run('account', 'revoke', 'relay')).toMatchObject({
      exitCode: 0,
      out: ['Clients with the user name relay may not connect any more.'],
    });
    const unknown = await cli.run('account', 'revoke', 'wal');
    expect(unknown).toMatchObject({ exitCode: 64, err: [expect.stringContaining('No MQTT account is called wal.')] });
  });
});
