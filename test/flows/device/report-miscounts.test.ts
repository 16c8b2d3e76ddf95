import { describe, expect, it } from 'vitest';
import type { MessageOrigin } from '../../../src/flows/device/device-ports.ts';
import { reportMiscounts } from '../../../src/flows/device/report-miscounts.ts';
import { FloorUnderTest, knownMachine, machine, status } from '../floor-under-test.ts';

const ID = knownMachine('RF-1');
const PLC: MessageOrigin = { transport: 'mqtt', clientId: 'RF-1', address: '10.0.0.5', duplicate: false };
const CURL: MessageOrigin = { transport: 'http', address: '10.0.0.9', duplicate: false };

function floor(): FloorUnderTest {
  const under = new FloorUnderTest([machine(ID)]);
  reportMiscounts(under.registry, { report: (incident) => void under.incidents.push(incident) });
  return under;
}

describe('counters that cannot be counted rightly', () => {
  it('D-59 two senders are an incident of the machine that names both, and the ignored message says why', () => {
    const under = floor();
    const plc = (uptime: number) => under.inbox.status(ID, status(ID, { mSecSinceBoot: uptime }), PLC);
    const line = (uptime: number) => under.inbox.namedStatus(status(ID, { mSecSinceBoot: uptime, goodPart: 9 }), CURL);
    plc(5_000_000);
    line(9_000_000);
    plc(5_000_500);
    line(9_000_500);
    expect(under.incidents.filter(({ kind }) => kind === 'twoSenders')).toContainEqual({
      kind: 'twoSenders',
      subject: ID,
      address: '10.0.0.9',
      detail:
        'two devices send under this machineId: HTTP from 10.0.0.9 and MQTT client RF-1 at 10.0.0.5: nothing is counted until one of them is silent for 10 s. Give each device its own machineId. If it is one device: mSecSinceBoot must be the milliseconds since its boot',
    });
    expect(under.live(ID).messages.messages()).toMatchObject([
      { outcome: 'ignored', reason: expect.stringContaining('a second device') },
      { outcome: 'taken' },
      { outcome: 'taken' },
      { outcome: 'taken' },
    ]);
  });

  it('D-02 a counter that falls without a reboot is an incident of the machine', () => {
    const under = floor();
    under.status(ID, { goodPart: 90 });
    under.pass(500);
    under.status(ID, { mSecSinceBoot: 1_500, goodPart: 80 });
    expect(under.incidents).toMatchObject([
      {
        kind: 'counterFell',
        subject: ID,
        detail: expect.stringContaining('goodPart fell without a reboot'),
        example: 'goodPart fell from 90 to 80',
      },
    ]);
  });
});
