import { Socket } from 'node:net';
import { generate } from 'mqtt-packet';
import { beforeEach, describe, expect, it } from 'vitest';
import { AccountTable } from '../../../../src/adapters/broker/connect/accounts.ts';
import { Admissions, PasswordThrottle } from '../../../../src/adapters/broker/connect/admission.ts';
import { LIMITS } from '../../../../src/adapters/broker/limits.ts';
import { type ConnectPacket, readConnect } from '../../../../src/adapters/broker/mqtt/connect-packet.ts';
import { PacketFault } from '../../../../src/adapters/broker/mqtt/packet-fault.ts';
import { REASON } from '../../../../src/adapters/broker/mqtt/reason-codes.ts';
import { TopicTable } from '../../../../src/adapters/broker/topics.ts';
import { machineId } from '../../../../src/domain/machine/machine-names.ts';

const GUESSER = '192.0.2.1';
const HOUR_MS = 3_600_000;
const SECOND_MS = 1_000;

let nowMs: number;
let throttle: PasswordThrottle;

beforeEach(() => {
  nowMs = 0;
  throttle = new PasswordThrottle(() => nowMs);
});

/** Guesses `perSecond` times a second; gives the number of compared passwords. */
function guessFor(durationMs: number, perSecond: number, addressOf: (guess: number) => string): number {
  let compared = 0;
  const end = nowMs + durationMs;
  for (let guess = 0; nowMs < end; guess++) {
    nowMs += SECOND_MS / perSecond;
    const address = addressOf(guess);
    if (!throttle.mayTry(address, 'hash', `guess-${guess}`)) continue;
    compared++;
    throttle.wrong(address);
  }
  return compared;
}

describe('guessing MQTT passwords', () => {
  it.each([
    ['one address', () => GUESSER],
    ['fifty addresses', (guess: number) => `192.0.2.${guess % 50}`],
    ['one network of IPv6', (guess: number) => `2001:db8:1:2::${guess.toString(16)}`],
  ])('from %s takes an hour for 10,000 guesses', (_, addressOf) => {
    expect(guessFor(HOUR_MS, 16, addressOf)).toBeLessThan(10_000);
  });

  it('does not hinder a client at another address', () => {
    guessFor(60_000, 160, () => GUESSER);
    expect(throttle.mayTry('192.0.2.2', 'hash', 'right')).toBe(true);
  });

  it('does not hinder a device behind the same address whose password was right before', () => {
    throttle.right('hash', 'right');
    guessFor(60_000, 160, () => GUESSER);
    expect(throttle.mayTry(GUESSER, 'hash', 'right')).toBe(true);
    expect(throttle.mayTry(GUESSER, 'changed hash', 'right')).toBe(false);
  });

  it('is possible again after a while', () => {
    guessFor(60_000, 160, () => GUESSER);
    nowMs += LIMITS.wrongPasswordRefillMs;
    expect(throttle.mayTry(GUESSER, 'hash', 'right')).toBe(true);
  });
});

/** A CONNECT of MQTT 3.1.1 of RF-1. */
function connectWith(password: string): ConnectPacket {
  const packet = generate({ cmd: 'connect', clientId: 'RF-1', username: 'RF-1', password: Buffer.from(password) });
  const read = readConnect(packet, 2);
  if (read instanceof PacketFault) throw new Error(read.detail);
  return read;
}

it('a guess that is slowed down is not compared; its client is asked to come back later', async () => {
  const RF_1 = machineId('RF-1');
  if (RF_1 === null) throw new Error('no machine id');
  let compared = 0;
  const table = new TopicTable([{ machineId: RF_1, topicRoot: 'plant1/rf-1', mqttPasswordHash: 'hash' }]);
  const verify = async (_hash: string, password: string) => {
    compared++;
    return password === 'right';
  };
  const admissions = new Admissions({
    access: 'password',
    identity: 'none',
    verifySecret: verify,
    topics: () => table,
    accounts: () => new AccountTable([]),
  });
  const connect = (password: string, address: string) =>
    admissions.admit(connectWith(password), { address, socket: new Socket() });
  for (let guess = 0; guess < 1_000; guess++) await connect(`guess-${guess}`, GUESSER);
  expect(compared).toBeLessThan(LIMITS.wrongPasswordsPerAddress + 10);
  expect(await connect('right', GUESSER)).toMatchObject({ kind: 'refuse', reason: { code: REASON.serverUnavailable } });
  expect(await connect('right', '192.0.2.2')).toMatchObject({ kind: 'machine' });
  expect(await connect('right', GUESSER)).toMatchObject({ kind: 'machine' });
});
