import { lines, table, text } from '../html.ts';
import type { GuideFacts } from './guide-facts.ts';

/** The guide for a PLC programmer, with this gateway's own addresses. */
export function connectMachine(facts: GuideFacts): string {
  return [addresses(facts), threeWays(facts), FIELDS, answers(facts), SILENCE, MISTAKES].join('\n');
}

function addresses({ origin, host, mqttPort, mqttTlsPort, machines, machineCount, example }: GuideFacts): string {
  const rows = [
    ['MQTT 3.1.1', mqttPort === null ? 'not listening' : `<code>${text(host)}</code>, port <code>${mqttPort}</code>`],
    [
      'MQTT with TLS',
      mqttTlsPort === null ? 'not set up' : `<code>${text(host)}</code>, port <code>${mqttTlsPort}</code>`,
    ],
    ['HTTP', `<code>${text(origin)}/api/device/status</code>`],
  ];
  const roots = machines.map(({ machineId, topicRoot }) => [
    `<code>${text(machineId)}</code>`,
    `<code>${text(topicRoot)}</code>`,
  ]);
  const left = machineCount - machines.length;
  return `<section id="machine"><h2>Connect a machine</h2>
<p>A machine says twice a second how it is, and hears each time whether it may run. Choose one of three ways. JSON over MQTT
is the best one: the answer comes by itself, also when something changes between two messages.</p>
${table('Addresses of this gateway', ['Way', 'Where'], rows)}
${table('Machines that are set up', ['machineId', 'Topic root'], roots)}
${left > 0 ? `<p>And ${left} more.</p>` : ''}
<p>Your machine is not among them? Set it up first: on the page under Admin, “Machines”, with an id and a topic root of your
choice. Or let it send already: it appears there as an unknown device, and one press takes it in. The lines
below use <code>${text(example.machineId)}</code>: write your own id and topic root instead.</p>
<p><b>Never use the id of a machine that runs.</b> Two senders with one id are reported as “Two devices under one machine id”, and
nothing is counted until one of them is silent for 10 s.</p>
</section>`;
}

function statusOf(machineId: string): string {
  return `{"machineId":"${machineId}","running":true,"mSecSinceBoot":1000,"cycle":1,"goodPart":5,"badPart":0,"override":false,"machinePower":true,"partId":"P-100"}`;
}

function threeWays({ origin, host, mqttPort, example: { machineId, topicRoot } }: GuideFacts): string {
  const broker = `-h ${host} -p ${mqttPort ?? 1883}`;
  const single: readonly (readonly [string, string])[] = [
    ['mSecSinceBoot', '1000'],
    ['machinePower', '1'],
    ['running', '1'],
    ['goodPart', '5'],
    ['partId', 'P-100'],
  ];
  return `<section id="three-ways"><h2>Three ways, with lines to copy</h2>
<h3 id="json">1. JSON over MQTT</h3>
<p>Client id: the <code>machineId</code>. Clean session: no. Keep alive: 60 s. QoS 1. Last will: <code>false</code> to
<code>${text(topicRoot)}/lwt</code>, retained, which the broker publishes when the connection breaks. After connecting, publish <code>true</code> to <code>${text(topicRoot)}/online</code>, retained.</p>
${lines(`mosquitto_sub ${broker} -v -t '${topicRoot}/command/#' &
mosquitto_pub ${broker} -q 1 -t ${topicRoot}/status -m '${statusOf(machineId)}'`)}
<p>One status alone lets the machine run for 10 s. To try it by hand for longer, repeat it, and let
<code>mSecSinceBoot</code> grow: <code>"mSecSinceBoot":'$(($(date +%s%N)/1000000))'</code> in the line above, and
<code>while sleep 1; do … done</code> round it.</p>
<p>In the Windows command prompt, quotes are written otherwise:</p>
${lines(`mosquitto_pub ${broker} -q 1 -t ${topicRoot}/status -m "${statusOf(machineId).replaceAll('"', '\\"')}"`)}
<h3 id="fields">2. Single fields over MQTT, for simple controllers</h3>
<p>One topic for each field, one value as text. The answer is <code>0</code> or <code>1</code> on
<code>${text(topicRoot)}/command/run-enabled</code> and <code>…/attention-needed</code>, each time that the decision changes.</p>
${lines(single.map(([name, value]) => `mosquitto_pub ${broker} -q 1 -t ${topicRoot}/status/${name} -m ${value}`).join('\n'))}
<h3 id="http">3. HTTP</h3>
<p>The answer to each status is the command. Send one every 500 ms; nothing comes in between.</p>
${lines(`curl -s ${origin}/api/device/status -d '${statusOf(machineId)}'`)}
<p>The first message of a machine begins the count: its totals are not yet parts of this shift.</p>
<p>Complete programs for C, ESP32, CODESYS, TwinCAT, Siemens S7-1500, Python, Node-RED and the shell are at
<a href="/docs/samples">/docs/samples</a>.</p>
</section>`;
}

const FIELDS = `<section id="what-fields-mean"><h2>What the fields mean</h2>
${table(
  '',
  ['Field', 'Type', 'Meaning'],
  [
    ['<code>machineId</code>', 'text, required', 'The id as it is set up. A wrong case does not match.'],
    [
      '<code>running</code>',
      'boolean, required',
      'It cycles in automatic production. False in manual mode, stopped, in fault, in maintenance.',
    ],
    [
      '<code>mSecSinceBoot</code>',
      'integer, ms, required',
      'Time since the controller started. It begins at 0 with each start and is never reset otherwise. A smaller value than before is read as a restart.',
    ],
    [
      '<code>cycle</code>, <code>goodPart</code>, <code>badPart</code>',
      'integer, required',
      'Totals since the start of the controller, not since the last message. The gateway counts the difference of two messages.',
    ],
    ['<code>override</code>', 'boolean, required', 'The operator runs past the rules. The gateway only records it.'],
    [
      '<code>machinePower</code>',
      'boolean, may be left out',
      'The main switch is on. Left out, it counts as off: the machine may not run.',
    ],
    ['<code>fault</code>', 'boolean, may be left out', 'It asks for a person. It never stops the machine.'],
    [
      '<code>partId</code>, <code>partName</code>',
      'text, may be left out',
      'Which part it makes. Where the controller does not know, a person selects it on the page.',
    ],
    ['<code>userId</code>, <code>jobNumber</code>', 'text, may be left out', 'Operator and job, for work sessions.'],
  ],
)}
<p>Case, hyphens and underscores in names do not matter. Booleans may be <code>1</code> and <code>0</code>, integers may
stand in quotes. <a href="/docs/reference#devices">The reference</a> has every field with its other names.</p>
</section>`;

function answers({ example: { topicRoot } }: GuideFacts): string {
  return `<section id="what-comes-back"><h2>What comes back</h2>
${table(
  '',
  ['Topic', 'Payload'],
  [
    [
      `<code>${text(topicRoot)}/command</code>`,
      'JSON: <code>runEnabled</code>, <code>attentionNeeded</code>, <code>message</code> (null, or why it may not run), <code>timestamp</code>',
    ],
    [`<code>${text(topicRoot)}/command/run-enabled</code>`, '<code>0</code> or <code>1</code>'],
    [`<code>${text(topicRoot)}/command/attention-needed</code>`, '<code>0</code> or <code>1</code>'],
  ],
)}
<p>Commands are not retained: subscribe before the first status. A client that comes back gets the newest command, never an
old one. Four rules decide, and the first that fails gives the message:</p>
${table(
  '',
  ['Rule', 'Message', 'What helps'],
  [
    ['The power is on', '<code>Machine power is off</code>', 'Send <code>machinePower</code> true.'],
    ['A part is selected', '<code>Part not selected</code>', 'Send <code>partId</code>, or select one on the page.'],
    [
      'A status came within the last 10 s',
      '<code>Device not responding</code>',
      'Send every 500 ms, at least every 5 s.',
    ],
    [
      'Each stop has a reason',
      '<code>Downtime categorization required</code>',
      'A person gives the reason on the page.',
    ],
  ],
)}
</section>`;
}

const SILENCE = `<section id="when-nothing-comes"><h2>What the controller should do when nothing comes</h2>
<ul>
<li>An answer that cannot be read counts as <code>runEnabled</code> false and <code>attentionNeeded</code> true: stop and light the lamp.</li>
<li>No answer: connect again after 1 s, then 2, 4, 8 s and so on, at most 60 s. Go on sending.</li>
<li>After 60 s without an answer the machine may run without the gateway: with <code>override</code> true and an override light. The samples turn it on by themselves; they can leave it to the operator.</li>
<li>HTTP 400: the message is wrong; its answer says which field. HTTP 500: stop, try again after 5 s, and enable override if it is persistent (60 s).</li>
<li><code>Device not responding</code>, right after a break: it is about the silence before. Wait for the answer to the next status.</li>
</ul>
</section>`;

const MISTAKES = `<section id="mistakes"><h2>Mistakes, and how each shows</h2>
<p>The machine's place on the page lists its last 50 messages, and what became of each. Above them, “What went wrong on its
line” has refused connections, wrong topics and the rest, within 2 s, each with its cure. Under Sync, “What went wrong
lately” has the same of everybody.</p>
${table(
  '',
  ['Mistake', 'What you see'],
  [
    [
      'A wrong topic, as <code>…/Status</code> or a leading slash',
      '“did you mean …/status?” at the machine that was meant',
    ],
    ['A wrong <code>machineId</code>', 'An unknown device under Admin, and a button that takes it in'],
    ['A comma too many, single quotes, text behind the end', 'Refused, with the likely cause'],
    [
      'A field with another name',
      'Ignored, with the name: “goodParst: did you mean goodPart?” where a required field is missing',
    ],
    ['Counters that begin at 0 with each message', 'Counted as restarts: watch the boots of the machine'],
    [
      'Counters that fall while <code>mSecSinceBoot</code> goes on',
      '“goodPart fell without a reboot” at the machine; counting goes on from the new value',
    ],
    [
      'Two controllers, or a test line, with one <code>machineId</code>',
      '“Two devices under one machine id”, with both addresses',
    ],
    ['More than ten messages a second', 'Held: the newest one counts. Shown as “sends too fast”'],
    ['Two clients with one client id', 'Both are cut off in turn: “Two devices with one client id”'],
    ['MQTT 5', 'The connection is refused: choose 3.1.1'],
    ['A wrong password, or none', 'The connection is refused, with the user name that came'],
    ['TLS without the CA of the gateway', '“The client does not trust the gateway’s certificate”: give it the CA file'],
    ['TLS on the port without TLS, or the reverse; HTTP on the port of MQTT', 'The right port is named'],
    ['The retain flag', 'Taken, and told: turn it off, or an old status is taken for a new one'],
    [
      'A clock of the device that goes back',
      'Counted as a reboot. “mSecSinceBoot went back …” where the device cannot have booted',
    ],
    ['QoS 0, 1 or 2', 'All are right for a status; QoS 1 is recommended for variables. The messages show it'],
    ['A message only when something changes', '“Device not responding” after 10 s'],
    ['A command topic that is published by the controller', 'Refused: commands are the gateway’s'],
  ],
)}
</section>`;
