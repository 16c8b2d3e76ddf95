import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { sendJson, useCliBeside } from '../program-under-test.ts';

const { cli, requests } = useCliBeside(answer);

function answer(path: string, response: ServerResponse): void {
  const { method } = requests.at(-1) ?? {};
  if (method === 'GET') sendJson(response, [{ name: 'pat', role: 'technician' }]);
  else if (method === 'DELETE' && path.endsWith('/pat')) response.writeHead(204).end();
  else if (method === 'DELETE') sendJson(response, { errors: ['path: no record of that id in users'] }, 404);
  else sendJson(response, {}, 201);
}

describe('plantgate user', () => {
  it('add reads the password from standard input, and does not print it', async () => {
    cli.secret = 'rolls and coils';
    const { exitCode, out, err } = await cli.run('user', 'add', 'kim', '--role', 'technician');
    expect({ exitCode, out, err }).toEqual({
      exitCode: 0,
      out: ['kim (technician) may sign in at the page.'],
      err: [],
    });
    expect(requests).toMatchObject([
      { method: 'POST', body: '{"name":"kim","role":"technician","password":"rolls and coils"}' },
    ]);
  });

  it('D-108 add names the plants that the person is for', async () => {
    cli.secret = 'rolls and coils';
    await cli.run('user', 'add', 'kim', '--role', 'technician', '--plant', 'tulsa', '--plant', 'default');
    expect(JSON.parse(requests.at(-1)?.body ?? '')).toMatchObject({ plants: ['tulsa', 'default'] });
  });

  it.each([
    ['without a password', ['user', 'add', 'kim', '--role', 'technician']],
    ['without a role', ['user', 'add', 'kim']],
    ['with an unknown role', ['user', 'add', 'kim', '--role', 'boss']],
  ])('add sends no request to the gateway %s', async (_, words) => {
    expect((await cli.run(...words)).exitCode).toBe(64);
    expect(requests).toEqual([]);
  });

  it('list names every person with the role', async () => {
    expect((await cli.run('user', 'list')).out).toEqual(['NAME  ROLE', 'pat   technician']);
    expect(JSON.parse((await cli.run('user', 'list', '--json')).out.join(''))).toEqual([
      { name: 'pat', role: 'technician' },
    ]);
  });

  it('revoke removes a person, and reports an unknown name', async () => {
    expect(await cli.run('user', 'revoke', 'pat')).toMatchObject({
      exitCode: 0,
      out: ['pat may not sign in any more.'],
    });
    const unknown = await cli.run('user', 'revoke', 'sam');
    expect(unknown).toMatchObject({ exitCode: 64, err: [expect.stringContaining('No person is called sam.')] });
  });
});
