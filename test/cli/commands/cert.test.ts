import { createPrivateKey, X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { hostname } from 'node:os';
import path from 'node:path';
import { connect, createServer } from 'node:tls';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { DAY_MS } from '../../../src/domain/time.ts';
import { watchSyncs } from '../../seen-syncs.ts';
import { useCli } from '../program-under-test.ts';

const cli = useCli();
let dir: string;
beforeEach(() => {
  dir = path.join(cli.dir, 'certs');
});
afterEach(() => vi.unstubAllEnvs());

const certificate = (name: string) => new X509Certificate(readFileSync(path.join(dir, `${name}.pem`)));
const isPair = () => {
  const key = createPrivateKey(readFileSync(path.join(dir, 'server.key')));
  return certificate('server').checkPrivateKey(key);
};
const modeOf = (name: string) => statSync(path.join(dir, name)).mode & 0o777;

/** The cipher on which a server with the certificate agrees with a client that knows TLS 1.2 with RSA alone. */
async function handshakeOfRsaAlone(): Promise<string> {
  const file = (name: string) => readFileSync(path.join(dir, name));
  const server = createServer({ cert: file('server.pem'), key: file('server.key') }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const rsaAlone = { maxVersion: 'TLSv1.2', ciphers: 'ECDHE-RSA-AES128-GCM-SHA256', sigalgs: 'RSA+SHA256' } as const;
  const client = connect({ host: '127.0.0.1', servername: 'localhost', port, ca: file('ca.pem'), ...rsaAlone });
  await once(client, 'secureConnect');
  const { name } = client.getCipher();
  client.destroy();
  server.close();
  return name;
}

describe('plantgate cert', () => {
  it('makes a certificate for the given names, with an authority of its own', async () => {
    const { exitCode, out } = await cli.run('cert', dir, '--host', 'gate.plant.example', '192.168.10.5');
    expect(exitCode).toBe(0);
    expect(out.join('\n')).toContain(`key: ${dir}/server.key`);
    const server = certificate('server');
    const authority = certificate('ca');
    expect(server.checkIssued(authority) && server.verify(authority.publicKey)).toBe(true);
    expect([server.ca, authority.ca]).toEqual([false, true]);
    expect(server.checkHost('gate.plant.example')).toBe('gate.plant.example');
    expect(server.checkIP('192.168.10.5')).toBe('192.168.10.5');
    expect(statSync(path.join(dir, 'ca.key')).mode & 0o777).toBe(0o600);
  });

  it.each(['plantgate.local', `${hostname().split('.')[0]}.local`, hostname(), 'localhost'])(
    'is for %s unless names are given',
    async (name) => {
      await cli.run('cert', dir);
      expect(certificate('server').checkHost(name)).toBe(name);
    },
  );

  it('renews the certificate with the existing authority', async () => {
    await cli.run('cert', dir);
    const [authority, server] = [certificate('ca'), certificate('server')];
    expect((await cli.run('cert', dir)).exitCode).toBe(0);
    expect(certificate('ca').fingerprint256).toBe(authority.fingerprint256);
    expect(certificate('server').fingerprint256).not.toBe(server.fingerprint256);
  });

  it('makes RSA keys for controllers that know no others, and a renewal keeps them', async () => {
    await cli.run('cert', dir, '--rsa', '--host', 'localhost');
    for (const words of [[], ['--rsa']]) {
      expect(certificate('ca').publicKey.asymmetricKeyType).toBe('rsa');
      expect(certificate('server').publicKey.asymmetricKeyType).toBe('rsa');
      expect(certificate('server').verify(certificate('ca').publicKey) && isPair()).toBe(true);
      expect(await handshakeOfRsaAlone()).toBe('ECDHE-RSA-AES128-GCM-SHA256');
      expect((await cli.run('cert', dir, ...words)).exitCode).toBe(0);
    }
  });

  it('makes no RSA certificate of an authority that has another key', async () => {
    await cli.run('cert', dir);
    const before = certificate('server').fingerprint256;
    const { exitCode, err } = await cli.run('cert', dir, '--rsa');
    expect(exitCode).toBe(73);
    expect(err.join('\n')).toMatch(/ca\.pem has no RSA key\. Move ca\.pem and ca\.key .* away and run this again/);
    expect(certificate('server').fingerprint256).toBe(before);
  });

  it('syncs the key and the certificate before it renames them, and their directory after it', async () => {
    await cli.run('cert', dir);
    const before = certificate('server').fingerprint256;
    const synced: (readonly unknown[])[] = [];
    await watchSyncs((place) => {
      const isRenewed = certificate('server').fingerprint256 !== before;
      synced.push([path.basename(place), isRenewed, isPair()]);
    });
    await cli.run('cert', dir);
    expect(synced).toEqual([
      ['server.key.new', false, true],
      ['server.pem.new', false, true],
      ['certs', true, true],
    ]);
  });

  describe('when the authority comes to its end', () => {
    const authorityEnd = () => Date.parse(certificate('ca').validTo);
    const atDaysBeforeEnd = (days: number) =>
      vi.useFakeTimers({ toFake: ['Date'], now: authorityEnd() - days * DAY_MS });
    beforeEach(() => cli.run('cert', dir));
    afterEach(() => void vi.useRealTimers());

    it('makes a certificate that ends no later than the authority, and says so', async () => {
      atDaysBeforeEnd(20.5);
      const { exitCode, out } = await cli.run('cert', dir);
      expect(exitCode).toBe(0);
      const { validFrom, validTo } = certificate('server');
      expect((Date.parse(validTo) - Date.parse(validFrom)) / DAY_MS).toBe(20);
      expect(out.join('\n')).toContain(`It ends with its authority. To replace that: Move ca.pem and ca.key of ${dir}`);
    });

    it.each([0.5, -100])('signs nothing %d days before the end, and says what to do', async (days) => {
      const before = certificate('server').fingerprint256;
      atDaysBeforeEnd(days);
      const { exitCode, err } = await cli.run('cert', dir);
      expect({ exitCode, message: err.join('\n') }).toEqual({
        exitCode: 73,
        message: expect.stringMatching(/ca\.pem is valid only until .*\. Move ca\.pem and ca\.key of .* away/),
      });
      expect(certificate('server').fingerprint256).toBe(before);
    });
  });

  it('keeps the names of the certificate that it renews', async () => {
    await cli.run('cert', dir, '--host', 'gate.plant.example', '192.168.10.5', 'fd00::2');
    const { subjectAltName } = certificate('server');
    expect((await cli.run('cert', dir)).exitCode).toBe(0);
    expect(certificate('server').subjectAltName).toBe(subjectAltName);
  });

  describe('on a computer whose umask keeps new files from others', () => {
    const modes = () => ['.', 'ca.pem', 'server.pem', 'ca.key'].map((name) => modeOf(name));
    beforeEach(() => {
      const before = process.umask(0o077);
      onTestFinished(() => void process.umask(before));
    });

    it('lets the service read a new directory and the certificates, and nobody else the key of the authority', async () => {
      expect((await cli.run('cert', dir)).exitCode).toBe(0);
      expect(modes()).toEqual([0o750, 0o644, 0o644, 0o600]);
    });

    it('lets everybody enter the directories that it makes above', async () => {
      chmodSync(cli.dir, 0o711);
      expect((await cli.run('cert', path.join(dir, 'of', 'plant'))).exitCode).toBe(0);
      expect(['..', '.', 'of', 'of/plant'].map((name) => modeOf(name))).toEqual([0o711, 0o755, 0o755, 0o750]);
    });

    it('leaves an existing directory unchanged, and mends the certificate of an existing authority', async () => {
      mkdirSync(dir);
      chmodSync(dir, 0o711);
      await cli.run('cert', dir);
      chmodSync(path.join(dir, 'ca.pem'), 0o600);
      expect((await cli.run('cert', dir)).exitCode).toBe(0);
      expect(modes()).toEqual([0o711, 0o644, 0o644, 0o600]);
    });
  });

  it('reports a directory that the system does not let anybody make', async () => {
    expect(await cli.run('cert', '/proc/plantgate/certs')).toMatchObject({ exitCode: 73 });
  });

  it('keeps the existing files if a name cannot be used, and says so', async () => {
    await cli.run('cert', dir);
    const before = certificate('server').fingerprint256;
    expect(await cli.run('cert', dir, '--host', 'a,b:c')).toMatchObject({ exitCode: 73 });
    expect(certificate('server').fingerprint256).toBe(before);
  });

  it('reports that openssl is missing', async () => {
    vi.stubEnv('PATH', '/nowhere');
    expect(await cli.run('cert', dir)).toMatchObject({ exitCode: 69, err: [expect.stringContaining('apt install')] });
  });
});
