import { lines, table, text } from '../html.ts';
import type { BusinessCall, BusinessTopic } from './calls/business-call.ts';
import { BUSINESS_CALLS } from './calls/business-calls.ts';
import type { GuideFacts } from './guide-facts.ts';

/** The guide for an integrator of an ERP or a forklift terminal. */
export function connectBusiness({ origin }: GuideFacts): string {
  const { call, plant } = callsOf(origin);
  const topicOf = (id: string) => topicArticle(BUSINESS_CALLS, id, call);
  return `<section id="business"><h2>Connect an ERP or a forklift</h2>
<p>All of <code>/api/v1</code> asks for a key. An administrator makes one on the page, under Admin, Keys, or by
<code>plantgate key create --principal erp --role business</code>. It is shown once.</p>
${table(
  'Roles of keys and people',
  ['Role', 'May'],
  [
    ['<code>gateway</code>', 'what a plantgate needs that sends here'],
    ['<code>business</code>', 'all of <code>/api/v1</code>'],
    ['<code>viewer</code>', 'read what the page shows, change nothing'],
    ['<code>technician</code>', 'the work at the page: parts, stops, tasks, coils; and all of <code>/api/v1</code>'],
    ['<code>supervisor</code>', 'plant data and refused records as well'],
    ['<code>admin</code>', 'people, keys and backups as well'],
  ],
)}
</section>
<section id="calls"><h2>Calls, with answers</h2>
<p>Every call of <code>/api/v1</code>, with the answer of a gateway whose legacy system is reached. <code>KEY</code> is your key.</p>
${topicOf('tasks')}
${topicOf('coils')}
<h3 id="plant-data">Add a location, a coil, a part or a task</h3>
<p>These come from the plant file or the central server, or by <code>/api/local/plant</code> with a key of the role
<code>supervisor</code> or <code>admin</code>:</p>
${lines(`${plant('/locations', '{"code":"WH-A1","name":"Rack A1","category":"Warehouse"}')}
${plant('/coils', '{"coilId":"C-70009","materialType":"Galvalume","color":"White","gauge":26,"widthIn":41.5625,"lengthStartFt":6000,"lengthRemainingFt":5960,"location":"WH-A1"}')}
${plant('/parts', '{"partId":"P-100","partName":"Panel 100"}')}`)}
${topicOf('orders')}
<p>Fields that are not known are kept, and named in the header <code>Plantgate-Warnings</code>; so is an order without
<code>quantity</code>, which counts 0 pieces.</p>
${topicOf('profiles')}
${topicOf('changes')}
</section>
${errors(origin)}`;
}

function errors(origin: string): string {
  return `<section id="errors"><h2>Errors</h2>
${table(
  '',
  ['Status', 'Body', 'What to do'],
  [
    [
      '400',
      '<code>{"errors":[…]}</code>; orders: <code>{"code","message"}</code> with the faults in the header <code>Plantgate-Errors</code>; profiles: <code>[…]</code>',
      'Mend what the message names: field, value and rule.',
    ],
    [
      '401',
      '<code>{"errors":[…]}</code>',
      'Send <code>Authorization: ApiKey KEY</code>. A key that was revoked is 401 as well.',
    ],
    ['403', 'as 401', 'The role is too small; or the task belongs to a machine without a licence for the warehouse.'],
    ['404', 'as 400', 'There is no record of that id.'],
    ['409', 'as 400', 'It changed meanwhile. Read it again. A new order: 50,000 are kept already, remove some.'],
    ['413', 'as 400', 'The body is too long: 1 MiB, orders 8 MiB, devices 64 KiB.'],
    [
      '415',
      'as 400',
      'A body without the header <code>Content-Type: application/json</code>, which curl does not send by itself.',
    ],
    ['422', 'as 400', 'The <code>Idempotency-Key</code> was used for another request.'],
    [
      '429',
      'as 400',
      'Wait as long as <code>Retry-After</code> says: 200 requests a second for each key, bursts of 1,000.',
    ],
    [
      '503',
      'as 400',
      'The legacy system or the disk cannot be reached. <code>Plantgate-Outcome: unchanged</code>: nothing was changed, try again. <code>unknown</code>: the coil may have been moved; the gateway finishes that by itself.',
    ],
  ],
)}
<p>A write may carry <code>Idempotency-Key</code>, 1 to 200 letters, digits and signs of your own without blanks. If its answer was lost, send the same again: it is
answered as it was, and nothing is done twice. Lists take <code>skip</code> (0) and <code>take</code> (100, at most 1,000).
Times are ISO 8601. <a href="/docs/reference">The reference</a> has every call, field and answer;
<a href="/openapi.json">openapi.json</a> makes clients, as by <code>npx openapi-typescript ${text(origin)}/openapi.json</code>.</p>
</section>`;
}

/** The heading of a topic and its calls, each with its answer in full. */
function topicArticle(topics: readonly BusinessTopic[], id: string, call: (of: BusinessCall) => string): string {
  const { heading, calls } = topics.find((topic) => topic.id === id) ?? { heading: id, calls: [] };
  const examples = calls.map((of) => {
    const said = of.answer === undefined ? `${of.status} without a body` : `${of.status}`;
    return `<article><p>${text(of.about)}: ${said}</p>\n${lines([call(of), ...answerOf(of)].join('\n'))}</article>`;
  });
  return `<h3 id="${id}">${text(heading)}</h3>\n${examples.join('\n')}`;
}

function answerOf({ answer }: BusinessCall): readonly string[] {
  if (answer === undefined) return [];
  return [typeof answer === 'string' ? answer : JSON.stringify(answer, null, 2)];
}

/** Calls as lines of a shell. Addresses stand in quotes, because some shells read `?` as a pattern. */
function callsOf(origin: string) {
  const line = (path: string, method: string, body: string | undefined) =>
    [
      "curl -s -H 'Authorization: ApiKey KEY'",
      ...(method === 'GET' || (method === 'POST' && body !== undefined) ? [] : [`-X ${method}`]),
      `'${origin}${path}'`,
      ...(body === undefined ? [] : [`-H 'Content-Type: application/json' -d '${body}'`]),
    ].join(' ');
  return {
    call: ({ method, path, body }: BusinessCall) =>
      line(`/api/v1${path}`, method, body === undefined ? undefined : JSON.stringify(body)),
    plant: (path: string, body: string) => line(`/api/local/plant${path}`, 'POST', body),
  };
}
