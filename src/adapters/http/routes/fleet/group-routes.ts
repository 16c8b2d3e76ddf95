import * as Type from 'typebox';
import { PLAN_KINDS, PLAN_PARTS } from '../../../../domain/fleet/plan/fleet-plan.ts';
import { DEVIATIONS } from '../../../../domain/fleet/plan/plan-report.ts';
import { PLAN_STANDINGS } from '../../../../flows/fleet-plan/fleet-plan-ports.ts';
import type { FleetPlans } from '../../../../flows/fleet-plan/fleet-plans.ts';
import type { GatewayGroups } from '../../../../flows/fleet-plan/gateway-groups.ts';
import type { Sights } from '../../../../flows/receive/sights.ts';
import { LIMITS } from '../../limits.ts';
import {
  type ApiRoute,
  described,
  empty,
  get,
  getBy,
  json,
  post,
  put,
  remove,
  route,
} from '../../requests/api-route.ts';
import { parseBody } from '../../requests/request-bodies.ts';
import { COUNT, choice, DATE_TIME, orNull, record, text } from '../shapes.ts';

const STRICT = { additionalProperties: false } as const;
const VERSION_NUMBER = Type.Integer({ minimum: 1, maximum: 1_000_000_000 });

const VERSION = {
  version: COUNT,
  at: DATE_TIME,
  who: text(),
  note: text(),
  overwrite: Type.Boolean({ description: 'records that were edited at a gateway are overwritten' }),
  records: COUNT,
};
const NAMED = { kind: choice(PLAN_PARTS), id: text() };
const FIELDS = Type.Array(Type.String(), { description: 'changed fields; of a secret only its name' });
const CHANGE = Type.Object(
  { ...NAMED, change: choice(['create', 'update', 'remove']), fields: FIELDS },
  { title: 'PlanChange' },
);

const MEMBER = Type.Object({
  gatewayId: text(),
  plantId: orNull(text('the plant of the key that it came with last; null: not looked at yet')),
  name: orNull(text()),
  contact: orNull(Type.Object({ state: choice(['live', 'awaited', 'silent']), since: orNull(DATE_TIME) })),
  standing: choice(PLAN_STANDINGS),
  version: orNull(COUNT),
  appliedAt: orNull(DATE_TIME),
  refused: orNull(Type.Object({ version: COUNT, faults: Type.Array(Type.String()) })),
  deviationCount: COUNT,
  deviations: Type.Array(Type.Object({ ...NAMED, why: choice(DEVIATIONS), fields: FIELDS }), {
    description: 'the first records that it does not have as the plan says',
  }),
  preview: orNull(
    Type.Object({
      version: COUNT,
      faults: Type.Array(Type.String()),
      changeCount: COUNT,
      changes: Type.Array(CHANGE, { description: 'the first of them' }),
    }),
  ),
});

const GROUP = Type.Object(
  {
    groupId: text(),
    name: text(),
    rollOut: orNull(COUNT),
    preview: orNull(COUNT),
    newest: orNull(Type.Object(VERSION)),
    gateways: Type.Array(MEMBER),
  },
  { title: 'GatewayGroup' },
);

const NAME = Type.Object({ name: Type.String({ pattern: '^(?! )[^\\u0000-\\u001f\\u007f]{1,100}(?<! )$' }) }, STRICT);
const COMPARED = Type.Object({ version: orNull(Type.Integer({ minimum: 1, description: 'null: forget it' })) }, STRICT);
const ROLLED_OUT = Type.Object(
  { version: orNull(Type.Integer({ minimum: 1, description: 'null: nothing new any more' })) },
  STRICT,
);
const RANGE = Type.Object(
  { from: Type.Integer({ minimum: 0, description: '0: an empty plan' }), to: VERSION_NUMBER },
  STRICT,
);
const PROPOSAL = Type.Object(
  { note: Type.String({ maxLength: 500, default: '' }), overwrite: Type.Boolean({ default: false }) },
  STRICT,
);
const PLAN = Type.Object(
  {},
  {
    additionalProperties: true,
    description: `lists of records as in a plant file: ${PLAN_KINDS.join(', ')}; and shifts as in the configuration`,
  },
);

const GROUPS = '/fleet/groups';
const ONE = `${GROUPS}/:groupId`;
const VERSIONS = `${ONE}/versions`;
const MEMBERS = `${ONE}/gateways/:gatewayId`;

/** Groups of gateways, the versions of their plans, and their results (D-106). */
export function groupRoutes(groups: GatewayGroups, plans: FleetPlans, sights: Sights): readonly ApiRoute[] {
  return [
    get(GROUPS, 'supervisor', described('Lists groups of gateways', Type.Array(GROUP)), async ({ identity }) =>
      json(await groups.list(sights.of(identity))),
    ),
    post(
      GROUPS,
      'admin',
      NAME,
      described('Makes a group of gateways', record('NewGroup', 'groupId'), 201),
      async ({ body }) => json(await groups.create(body.name), 201),
    ),
    get(ONE, 'supervisor', described('Reads a group and its results', GROUP), async ({ param, identity }) =>
      json(await groups.read(param('groupId'), sights.of(identity))),
    ),
    put(ONE, 'admin', NAME, described('Renames a group', null, 204), async ({ param, body }) => {
      await groups.rename(param('groupId'), body.name);
      return empty(204);
    }),
    remove(
      ONE,
      'admin',
      described('Removes a group and its plan; its gateways keep what they have', null, 204),
      async ({ param }) => {
        await groups.remove(param('groupId'));
        return empty(204);
      },
    ),
    route({
      method: 'PUT',
      path: MEMBERS,
      role: 'admin',
      description: described('Puts a gateway into a group; it leaves the one before', null, 204),
      answer: async ({ param }) => {
        await groups.join(param('groupId'), param('gatewayId'));
        return empty(204);
      },
    }),
    remove(
      MEMBERS,
      'admin',
      described('Takes a gateway out of a group; it keeps what it has', null, 204),
      async ({ param }) => {
        await groups.leave(param('groupId'), param('gatewayId'));
        return empty(204);
      },
    ),
    ...versionRoutes(plans),
  ];
}

function versionRoutes(plans: FleetPlans): readonly ApiRoute[] {
  return [
    get(
      VERSIONS,
      'supervisor',
      described('Lists the versions of a plan, the newest first', Type.Array(Type.Object(VERSION))),
      async ({ param }) => json(await plans.list(param('groupId'))),
    ),
    route({
      method: 'POST',
      path: VERSIONS,
      role: 'admin',
      query: PROPOSAL,
      body: PLAN,
      isBodyText: true,
      maxBodyBytes: LIMITS.planBytes,
      description: described(
        'Keeps a new version of a plan; nothing goes to gateways yet',
        Type.Object({ version: COUNT, isNew: Type.Boolean({ description: 'false: it is equal to the newest' }) }),
        201,
      ),
      answer: async ({ param, body, query: { note, overwrite }, identity: { principal } }) => {
        const plan = parseBody(String(body), LIMITS.planValues);
        return json(await plans.add(param('groupId'), { plan, note, overwrite }, principal), 201);
      },
    }),
    get(
      `${VERSIONS}/:version`,
      'admin',
      described(
        'Reads a version with its records, without their secrets',
        Type.Object({ ...VERSION, plan: record('FleetPlan', 'lists of records as in a plant file') }),
      ),
      async ({ param }) => json(await plans.read(param('groupId'), numberIn(param('version')))),
    ),
    getBy(
      `${ONE}/difference`,
      'supervisor',
      RANGE,
      described('Compares two versions of a plan', Type.Array(CHANGE)),
      async ({ param, query: { from, to } }) => json(await plans.difference(param('groupId'), from, to)),
    ),
    put(
      `${ONE}/preview`,
      'admin',
      COMPARED,
      described('Asks the gateways what a version would change there', null, 204),
      async ({ param, body }) => {
        await plans.preview(param('groupId'), body.version);
        return empty(204);
      },
    ),
    put(
      `${ONE}/rollOut`,
      'admin',
      ROLLED_OUT,
      described('Rolls a version out: each gateway applies it, all or nothing', null, 204),
      async ({ param, body }) => {
        await plans.rollOut(param('groupId'), body.version);
        return empty(204);
      },
    ),
  ];
}

/** A version that is no number is one that does not exist. */
function numberIn(text: string): number {
  return /^\d{1,9}$/.test(text) ? Number(text) : 0;
}
