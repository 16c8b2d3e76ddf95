import type { Static } from 'typebox';
import * as Type from 'typebox';
import { type GatewayHealth, MAX_NEEDS, NEEDS, type Need } from '../../../../domain/fleet/gateway-health.ts';
import { TOLD_LIMITS } from '../../../../domain/fleet/told-plant.ts';
import { onePlant } from '../../../../domain/plant/plant-scope.ts';
import { WEEKDAYS } from '../../../../domain/shift/work-plan.ts';
import type { Fleet } from '../../../../flows/receive/fleet.ts';
import { type ApiRoute, json, route } from '../../requests/api-route.ts';
import { PLAN_REPORT, planReportIn } from '../fleet/plan-report-shape.ts';
import { UPDATE_REPORT, updateReportIn } from '../fleet/update-report-shape.ts';
import { choice, orNull } from '../shapes.ts';

/**
 * The shape of what a gateway tells about its condition. It may be of another version: fields and needs that this one
 * does not know are left out.
 */

/** Ten years: a longer time is a mistake. */
const DURATION = Type.Number({ minimum: 0, maximum: 315_576_000_000 });
const COUNT = Type.Integer({ minimum: 0, maximum: 1_000_000_000_000 });
const WALL_TIME = Type.Number({ minimum: 0, maximum: 8_640_000_000_000_000 });
const PERCENT = Type.Number({ minimum: 0, maximum: 100 });
const TEXT = Type.String({ pattern: '^[^\\u0000-\\u001f\\u007f]{1,256}$' });
const MAX_ROUND_TRIP_MS = 600_000;

const NEED = Type.Object({
  machineId: Type.String({ pattern: '^[A-Za-z0-9_-]{1,128}$' }),
  name: TEXT,
  need: Type.String({ minLength: 1, maxLength: 32, description: `${NEEDS.join(', ')}; others are left out` }),
  forMs: orNull(DURATION),
});

const HEALTH = Type.Object(
  {
    version: Type.String({ pattern: '^[!-~]{1,64}$' }),
    timeZone: Type.String({ pattern: '^[!-~]{1,64}$' }),
    machines: COUNT,
    queue: Type.Object({ records: COUNT, oldestAgeMs: DURATION }),
    setAside: COUNT,
    openAlerts: COUNT,
    disk: orNull(Type.Object({ freePercent: PERCENT, leastPercent: PERCENT })),
    backups: orNull(Type.Object({ newestAgeMs: orNull(DURATION) })),
    certificateLeftMs: orNull(Type.Number({ minimum: -3_155_760_000_000, maximum: 3_155_760_000_000 })),
    exchange: orNull(
      Type.Object(
        {
          sentAt: WALL_TIME,
          roundTripMs: Type.Number({ minimum: 0, maximum: MAX_ROUND_TRIP_MS }),
          receivedAt: WALL_TIME,
        },
        {
          description: 'The report before this one: when it was sent by the clock of the gateway, and received by ours',
        },
      ),
    ),
    needs: Type.Array(NEED, { maxItems: MAX_NEEDS, description: 'Machines that need a person' }),
    plan: Type.Optional(orNull(PLAN_REPORT)),
    update: Type.Optional(UPDATE_REPORT),
  },
  { title: 'GatewayHealth', description: 'The condition of a gateway. Unknown fields are ignored' },
);

const DIGEST = Type.String({ pattern: '^[!-~]{1,128}$' });
const REPORT = Type.Object({
  gatewayId: Type.String({ minLength: 1, maxLength: 128 }),
  stream: Type.String({ minLength: 1, maxLength: 128 }),
  health: HEALTH,
  plantDigest: Type.Optional(DIGEST),
});

const TAKEN = Type.Object({
  receivedAt: Type.Number({ description: 'In milliseconds since 1970, by the clock of this server' }),
  isKept: Type.Boolean({ description: 'False: no batch of this stream was taken yet, or another stream has the name' }),
  wantsPlant: Type.Boolean({ description: 'True: the plant of this digest is to be told' }),
});

const RATE = Type.Number({ exclusiveMinimum: 0, maximum: 1_000_000 });
const MACHINE_ID = Type.String({ pattern: '^[A-Za-z0-9_-]{1,128}$' });
const NAME = Type.String({ minLength: 1, maxLength: 256 });
const CLOCK_TIME = Type.String({ pattern: '^\\d{2}:\\d{2}$' });
const FULL_DATE = Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$' });

const PLANT = Type.Object(
  {
    timeZone: Type.String({ pattern: '^[!-~]{1,64}$' }),
    shifts: Type.Array(
      Type.Object({
        name: NAME,
        start: CLOCK_TIME,
        days: Type.Optional(Type.Array(choice(WEEKDAYS), { maxItems: WEEKDAYS.length })),
        breaks: Type.Optional(
          Type.Array(Type.Object({ start: CLOCK_TIME, minutes: Type.Integer({ minimum: 1, maximum: 1_440 }) }), {
            maxItems: 100,
          }),
        ),
      }),
      { minItems: 1, maxItems: TOLD_LIMITS.shifts },
    ),
    daysOff: Type.Array(Type.Object({ date: FULL_DATE, name: Type.String({ maxLength: 256 }) }), {
      maxItems: TOLD_LIMITS.daysOff,
    }),
    machines: Type.Array(
      Type.Object({
        machineId: MACHINE_ID,
        name: NAME,
        area: orNull(NAME),
        idealPartsPerMinute: orNull(RATE),
        targetPartsPerShift: orNull(Type.Number({ minimum: 0, maximum: 1_000_000_000 })),
      }),
      { maxItems: TOLD_LIMITS.machines },
    ),
    reasons: Type.Array(
      Type.Object({
        id: Type.String({ minLength: 1, maxLength: 128 }),
        reason: NAME,
        group: Type.String({ maxLength: 256 }),
        planned: orNull(Type.Boolean()),
      }),
      { maxItems: TOLD_LIMITS.reasons },
    ),
    rates: Type.Array(
      Type.Object({
        partId: Type.String({ minLength: 1, maxLength: 256 }),
        machineId: orNull(MACHINE_ID),
        idealPartsPerMinute: RATE,
      }),
      { maxItems: TOLD_LIMITS.rates },
    ),
  },
  { title: 'ToldPlant', description: 'What a gateway tells of its plant. Unknown fields are ignored' },
);

const TOLD = Type.Object({
  gatewayId: Type.String({ minLength: 1, maxLength: 128 }),
  stream: Type.String({ minLength: 1, maxLength: 128 }),
  digest: DIGEST,
  plant: PLANT,
});
const KEPT = Type.Object({ isKept: Type.Boolean({ description: 'False: another stream has the name' }) });
/** More than the most that a gateway tells: 2,000 machines, 1,000 reasons and 5,000 rates are 37,000 values. */
const MAX_PLANT_BYTES = 2 * 1_048_576;
const MAX_PLANT_VALUES = 48_000;

/** Gateways tell their condition here, beside their batches (contract.md, Upstream; D-97). */
export function healthRoutes(fleet: Pick<Fleet, 'report' | 'takePlant'>): readonly ApiRoute[] {
  return [
    route({
      method: 'POST',
      path: '/health',
      role: 'gateway',
      body: REPORT,
      description: { summary: 'Takes what a gateway tells about its condition', answers: { 200: TAKEN } },
      answer: async ({ body: { gatewayId, stream, health, plantDigest = null }, identity: { principal, plants } }) =>
        json(
          await fleet.report(
            { gatewayId, stream, principal, plantId: onePlant(plants) },
            healthIn(health),
            plantDigest,
          ),
        ),
    }),
    route({
      method: 'POST',
      path: '/plant',
      role: 'gateway',
      body: TOLD,
      maxBodyBytes: MAX_PLANT_BYTES,
      maxBodyValues: MAX_PLANT_VALUES,
      description: { summary: 'Takes what a gateway tells of its plant', answers: { 200: KEPT } },
      answer: async ({ body: { gatewayId, stream, digest, plant }, identity: { principal } }) =>
        json(await fleet.takePlant({ gatewayId, stream, principal }, digest, plant)),
    }),
  ];
}

/** The fields that are kept. */
function healthIn(sent: Static<typeof HEALTH>): GatewayHealth {
  const { version, timeZone, machines, queue, setAside, openAlerts, disk, backups, certificateLeftMs, exchange } = sent;
  return {
    version,
    timeZone,
    machines,
    queue: { records: queue.records, oldestAgeMs: queue.oldestAgeMs },
    setAside,
    openAlerts,
    disk: disk && { freePercent: disk.freePercent, leastPercent: disk.leastPercent },
    backups: backups && { newestAgeMs: backups.newestAgeMs },
    certificateLeftMs,
    exchange: exchange && {
      sentAt: exchange.sentAt,
      roundTripMs: exchange.roundTripMs,
      receivedAt: exchange.receivedAt,
    },
    needs: sent.needs.flatMap(({ machineId, name, need, forMs }) =>
      isNeed(need) ? [{ machineId, name, need, forMs }] : [],
    ),
    plan: sent.plan === undefined || sent.plan === null ? null : planReportIn(sent.plan),
    ...(sent.update && { update: updateReportIn(sent.update) }),
  };
}

function isNeed(need: string): need is Need {
  return NEEDS.some((known) => known === need);
}
