import { lines, table, text } from '../html.ts';
import type { GuideFacts } from './guide-facts.ts';

/** The guide for an integrator of an ERP or a forklift terminal. */
export function connectBusiness({ origin }: GuideFacts): string {
  const { get, post, plant } = callsOf(origin);
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
<h3 id="tasks">Bring a coil to a machine</h3>
${lines(`${get('/warehouseTasks?onlyIncomplete=true')}
[{"taskId":"T-1","taskType":"WarehouseToMachine","taskState":"Ready","coilType":{…},"requiredFt":2200,"sourceLocation":"WH-A1",…}]
${post('/warehouseTasks/T-1/inProcess', '{"userName":"pat"}')}    # 202: taken
${post('/warehouseTasks/T-1/inTransit', '{"coilId":"C-70009","userName":"pat"}')}    # 202: under way
${post('/warehouseTasks/T-1/complete', '{"location":"RF-01","userName":"pat"}')}    # 202: done; 503: nothing was changed`)}
<h3 id="coils">Find and move a coil</h3>
${lines(`${get('/coils/search?q=white&materialType=Galvalume&sort=-lengthRemainingFt&take=20')}
{"total":12,"skip":0,"take":20,"items":[{"coilId":"C-70009","location":"WH-A1","lengthRemainingFt":5960,…}]}
${post('/coils/C-70009/location', '{"location":"WH-B2"}')}    # 200; 503: nothing was changed`)}
<h3 id="plant-data">Add a location, a coil, a part or a task</h3>
<p>These come from the plant file or the central server, or by <code>/api/local/plant</code> with a key of the role
<code>supervisor</code> or <code>admin</code>:</p>
${lines(`${plant('/locations', '{"code":"WH-A1","name":"Rack A1","category":"Warehouse"}')}
${plant('/coils', '{"coilId":"C-70009","materialType":"Galvalume","color":"White","gauge":26,"lengthRemainingFt":5960,"location":"WH-A1"}')}
${plant('/parts', '{"partId":"P-100","partName":"Panel 100"}')}`)}
<h3 id="orders">Send an order</h3>
${lines(`${post('/orders/add', '{"documentID":"DOC-1","orderCode":"SO-41001","customer":{"name":"Alder Barns"},"products":[{"toolingDetail":{"toolingCode":"AG-36"},"materialDetail":{"materialCode":"G26"},"bundles":[{"items":[{"quantity":10,"partLengthIn":120}]}]}]}')}
${get('/orders/orderSummary?orderCode=SO-41001')}    # YAML`)}
<p>Fields that are not known are kept, and named in the header <code>Plantgate-Warnings</code>.</p>
<h3 id="profiles">Send a profile</h3>
${lines(`${post('/profiles', '{"profileName":"Eave trim","features":[{"type":"Straight","length":3},{"type":"Angle","angle":-104},{"type":"Straight","length":4}]}')}
{"profileId":"…","revision":1,"blankWidth":7,…}`)}
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
    ['401', 'as 400', 'Send <code>Authorization: ApiKey KEY</code>. A key that was revoked is 401 as well.'],
    ['403', 'as 400', 'The role is too small; or the task belongs to a machine without a licence for the warehouse.'],
    ['404', 'as 400', 'There is no record of that id.'],
    ['409', 'as 400', 'It changed meanwhile. Read it again.'],
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
    ['503', 'as 400', 'The legacy system or the disk cannot be reached. Nothing was changed. Try again.'],
  ],
)}
<p>A write may carry <code>Idempotency-Key</code>, any text of your own. If its answer was lost, send the same again: it is
answered as it was, and nothing is done twice. Lists take <code>skip</code> (0) and <code>take</code> (100, at most 1,000).
Times are ISO 8601. <a href="/docs/reference">The reference</a> has every call, field and answer;
<a href="/openapi.json">openapi.json</a> makes clients, as by <code>npx openapi-typescript ${text(origin)}/openapi.json</code>.</p>
</section>`;
}

/** Calls as lines of a shell. Addresses stand in quotes, because some shells read `?` as a pattern. */
function callsOf(origin: string) {
  const call = (path: string) => `curl -s -H 'Authorization: ApiKey KEY' '${origin}${path}'`;
  const send = (path: string, body: string) => `${call(path)} -H 'Content-Type: application/json' -d '${body}'`;
  return {
    get: (path: string) => call(`/api/v1${path}`),
    post: (path: string, body: string) => send(`/api/v1${path}`, body),
    plant: (path: string, body: string) => send(`/api/local/plant${path}`, body),
  };
}
