/** Runs a core in structured text or SCL like a controller, with an MQTT client beside it. */
import { readFileSync } from 'node:fs';
import { connect, type MqttClient } from 'mqtt';
import { clock, compile, type Memory } from './body.ts';

const CYCLE_MS = 10;
/** Shortly before TIME() overflows, so that each run goes across it. */
const FIRST_MS = 2 ** 32 - 2_000;

const [, , file = ''] = process.argv;
const { memory, cycle } = compile(readFileSync(file, 'utf8'), file.endsWith('.scl'));
const root = process.env.TOPIC_ROOT ?? '';
const answers: string[] = [];
let client: MqttClient | null = null;
let isSubscribed = false;
let shown = '';

/** The same variable has a prefix in CODESYS (`bMayRun`) and none in SCL (`mayRun`). */
function keyOf(name: string): string {
  const key = Object.keys(memory).find((one) => one === name.toLowerCase() || one.slice(1) === name.toLowerCase());
  if (key === undefined) throw new Error(`${file} has no variable ${name}`);
  return key;
}
const get = (name: string) => memory[keyOf(name)];
const set = (name: string, value: Memory[string]) => {
  memory[keyOf(name)] = value;
};

function open(): MqttClient {
  const opened = connect({
    host: process.env.GATEWAY_HOST ?? '',
    port: Number(process.env.GATEWAY_PORT),
    clientId: process.env.MACHINE_ID ?? '',
    clean: false,
    reconnectPeriod: 0,
    will: { topic: `${root}/lwt`, payload: Buffer.from('false'), qos: 1, retain: true },
  });
  opened.on('error', () => undefined);
  opened.on('message', (topic, payload) => {
    if (topic === `${root}/command`) answers.push(payload.toString());
  });
  opened.on('connect', () => {
    opened.subscribe(`${root}/command`, { qos: 1 }, (error) => {
      isSubscribed = error === null;
    });
    opened.publish(`${root}/online`, 'true', { qos: 1, retain: true });
  });
  opened.on('close', () => {
    isSubscribed = false;
  });
  return opened;
}

function follow(): void {
  if (get('connect') === true) client ??= open();
  else if (client !== null) {
    client.end(true);
    client = null;
    isSubscribed = false;
  }
  if (get('send') === true) client?.publish(`${root}/status`, String(get('status')), { qos: 1 });
}

let lastPartMs = 0;
function work(): void {
  const mayRun = get('mayRun') === true;
  set('running', mayRun);
  if (!mayRun || clock.nowMs - lastPartMs < 200) return;
  lastPartMs = clock.nowMs;
  set('cycle', Number(get('cycle')) + 1);
  set('goodPart', Number(get('goodPart')) + 1);
}

function show(): void {
  const [run, light, override] = ['mayRun', 'warningLight', 'overrideLight'].map((name) => Number(get(name)));
  const line = `run=${run} light=${light} override=${override} message=${get('message')}`;
  if (line !== shown) console.log(line);
  shown = line;
}

set('machineId', process.env.MACHINE_ID ?? '');
set('overrideAfterMs', Number(process.env.OVERRIDE_AFTER_MS));
set('machinePower', true);
setInterval(() => {
  clock.nowMs = FIRST_MS + performance.now();
  const answer = answers.shift();
  set('connected', isSubscribed);
  set('newAnswer', answer !== undefined);
  set('answer', answer ?? '');
  cycle();
  work();
  follow();
  show();
}, CYCLE_MS);

process.once('SIGTERM', async () => {
  await client?.publishAsync(`${root}/online`, 'false', { qos: 1, retain: true });
  await client?.endAsync();
  process.exit(0);
});
