import { expect, it } from 'vitest';
import { refuseInGerman } from '../../src/page/words/german-troubles.ts';

it.each([
  ['found 2000, expected a number from 0 to 1440', 'gefunden 2000, erwartet eine Zahl von 0 bis 1440'],
  ['found "", expected at least 1 character', 'gefunden "", erwartet mindestens 1 Zeichen'],
  ['found "found no text", expected text or null', 'gefunden "found no text", erwartet Text oder null'],
  ['found "RF 9", expected the id of a machine', 'gefunden "RF 9", erwartet die Id einer Maschine'],
  ['No profile with id "new"', 'Kein Profil mit der Id "new"'],
  ['No sending gateway with id "nope"', 'Kein Gateway mit der Id "nope"'],
  [
    'No open alert with id "A": it may be over already',
    'Kein offener Alarm mit der Id "A": vielleicht ist es schon vorbei',
  ],
  ['machineId: "RF-01" exists already', 'machineId: "RF-01" gibt es schon'],
  ['goodParst: unknown field; did you mean goodPart?', 'goodParst: unbekanntes Feld; gemeint ist wohl goodPart'],
  [
    'there are 200 already: remove one that is not needed any more',
    'es sind schon 200: eines löschen, das niemand mehr braucht',
  ],
])('F21: a refusal of the gateway in German: %s', (english, german) => {
  expect(refuseInGerman(english)).toBe(german);
});
