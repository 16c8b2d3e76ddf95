// npm run release:key -- FILE: makes the pair of keys for signing releases. The private key goes to FILE, which must
// not exist; the public key joins the keys that every later release trusts.
import { execFileSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { RELEASE_KEYS } from '../src/cli/commands/update/release-keys.ts';
import { publicBody } from './release-signing.ts';

const SOURCE = path.resolve(import.meta.dirname, '../src/cli/commands/update/release-keys.ts');

const [file] = process.argv.slice(2);
if (file === undefined) throw new Error('npm run release:key -- FILE: the file for the private key is missing');
const { privateKey } = generateKeyPairSync('ed25519');
writeFileSync(file, privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600, flag: 'wx' });
const keys = [...RELEASE_KEYS, publicBody(privateKey)].map((body) => `  '${body}',\n`);
const text = readFileSync(SOURCE, 'utf8').replace(/= \[[^\]]*\];/, `= [\n${keys.join('')}];`);
writeFileSync(SOURCE, text);
execFileSync('npx', ['biome', 'format', '--write', SOURCE], { stdio: 'ignore' });
console.log(
  `${file} holds the private key: keep it apart from the sources. ${path.basename(SOURCE)} has the public one.`,
);
