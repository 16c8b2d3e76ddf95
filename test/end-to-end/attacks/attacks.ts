import type { Attack } from './attack.ts';
import { HTTP_ATTACKS } from './http-attacks.ts';
import { MQTT_ATTACKS } from './mqtt-attacks.ts';

/** Attacks that fill memory and keep it filled. The others mostly take time. */
const FILLING = [
  ...Object.keys(HTTP_ATTACKS),
  'readers of everything went away',
  'readers of everything read nothing',
  'sessions have long filters and went away',
  'empty messages wait for sessions that went away',
  'retained messages are asked for with wildcards, again and again',
  'topics and filters are deep',
  'clients leave large wills',
  'packets are begun and never finished',
  'messages of QoS 2 are begun and never finished',
  'clients publish with QoS 1 and read no answer',
  'large messages have no receiver',
] as const;

const EACH: Readonly<Record<string, Attack>> = { ...MQTT_ATTACKS, ...HTTP_ATTACKS };

export const EVERYTHING_AT_ONCE = 'clients fill everything at once';

/** Every attack of the table. The last one fills all the memory that clients can fill at the same time. */
export const ATTACKS: Readonly<Record<string, Attack>> = {
  ...EACH,
  [EVERYTHING_AT_ONCE]: async (scene) => {
    await Promise.all(FILLING.map((name) => EACH[name]?.(scene)));
  },
};
