import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type GatewayUnderTest, keyOf, machineOf, startGateway, statusOf } from './gateway-under-test.ts';

const TASK = {
  taskType: 'WarehouseToMachine',
  coilType: { coilTypeCode: 'CT-1', materialType: 'Galvalume', color: 'White', gauge: 26, widthIn: 41, lbsPerFt: 1.9 },
  requiredFt: 100,
  sourceLocation: 'WH-A1',
  destinationLocation: 'WH-A1',
  requiredDate: '2026-11-29T08:00:00Z',
};

let gateway: GatewayUnderTest;

beforeAll(async () => {
  gateway = await startGateway({ machines: [machineOf('RF-01'), machineOf('RF-02')] });
});
afterAll(() => gateway.close());

function as(role: 'technician' | 'supervisor' | 'admin', method: string, path: string, body?: unknown) {
  return gateway.as(keyOf(role), method, `/api/local${path}`, body);
}

async function entries(query = ''): Promise<readonly Record<string, unknown>[]> {
  const { body } = await as('technician', 'GET', `/audit${query}`);
  return (body as { readonly entries: readonly Record<string, unknown>[] }).entries;
}

describe('the audit', () => {
  it('lists the person, the act and the values before and after, newest first', async () => {
    await gateway.postStatus(statusOf({ machineId: 'RF-01' }));
    await as('technician', 'PUT', '/machines/RF-01/part', { partId: 'P-100' });
    await as('technician', 'DELETE', '/machines/RF-01/part');
    const [cleared, selected] = await entries();
    expect(cleared).toMatchObject({
      who: 'technician-principal',
      role: 'technician',
      act: 'clearPart',
      subject: 'RF-01',
      before: '{"partId":"P-100"}',
      after: null,
    });
    expect(selected).toMatchObject({ act: 'selectPart', before: '{"partId":null}', after: '{"partId":"P-100"}' });
    expect(cleared?.previous).toBe(selected?.hash);
  });

  it('has neither refused acts nor reads', async () => {
    const [newest] = await entries();
    await as('technician', 'PUT', '/machines/RF-01/part', { partId: 'P-none' });
    await as('technician', 'PUT', '/machines/RF-01/part', { partId: 7 });
    await as('technician', 'DELETE', '/plant/machines/RF-02');
    await as('technician', 'GET', '/machines');
    expect((await entries())[0]).toEqual(newest);
  });

  it('has no plant file that was refused', async () => {
    const [newest] = await entries();
    const { body } = await as('supervisor', 'POST', '/plant/loads');
    const load = `/plant/loads/${(body as { readonly loadId: string }).loadId}`;
    const machine = { machineId: 'RF-09', topicRoot: 'plant/#' };
    await as('supervisor', 'POST', `${load}/records/machines`, [machine]);
    expect(await as('supervisor', 'POST', `${load}/finish`, { dryRun: false })).toMatchObject({ status: 400 });
    expect((await entries())[0]).toEqual(newest);
  });

  it('names a new profile, which is found with letters of any language in any case', async () => {
    await as('admin', 'POST', '/plant/catalogs', { catalogId: 8, name: 'Standard', default: true });
    const features = [{ type: 'Straight', length: 3 }];
    const profile = { profileName: 'Größe 3', paintedSide: 'Positive', features };
    expect((await gateway.as(keyOf('admin'), 'POST', '/api/v1/profiles', profile)).status).toBe(200);
    expect((await entries())[0]).toMatchObject({ act: 'addProfile', subject: 'Größe 3' });
    for (const text of ['GRÖßE 3', 'größe']) {
      expect(await entries(`?q=${encodeURIComponent(text)}`)).toMatchObject([{ subject: 'Größe 3' }]);
    }
  });

  it.each([
    ['POST', '/downtimes/category', { downtimeIds: [{ toString: 1 }], reasonId: null }, 'downtimeIds.0'],
    ['POST', '/plant/coils', { coilId: { toString: 1 } }, 'coilId'],
    ['POST', '/diagnostics/dismissals', { kind: 'malformed', subject: { toString: 1 } }, 'subject'],
  ])('leaves a value without a text to the rules of the route: %s %s', async (method, path, body, field) => {
    const answer = await as('admin', method, path, body);
    expect(answer).toMatchObject({ status: 400, text: expect.stringContaining(field) });
  });

  it.each([
    ['locations', { code: 'WH-A1', name: 'Rack A1', category: 'Warehouse' }, 'WH-A1'],
    ['coils', { coilId: 'C-1', location: 'WH-A1' }, 'C-1'],
    ['tasks', { taskId: 'T-1', machineId: 'RF-01', ...TASK }, 'T-1'],
    ['catalogs', { catalogId: 7, name: 'Trim' }, '7'],
    ['apiKeys', { principal: 'scales', role: 'technician', key: 'scales-key-0123456789' }, 'scales'],
    ['apiKeys', { id: 'spare', principal: 'scales', role: 'technician', key: 'spare-key-01234567890' }, 'spare'],
  ])('names a new record by its own id: %s %o', async (kind, record, subject) => {
    expect((await as('admin', 'POST', `/plant/${kind}`, record)).status).toBe(201);
    expect((await entries())[0]).toMatchObject({ act: `add ${kind}`, subject });
  });

  it('keeps no secret', async () => {
    const password = 'a secret of ours';
    await as('admin', 'POST', '/plant/users', { name: 'Kim', role: 'technician', password });
    const [added] = await entries();
    expect(added).toMatchObject({ act: 'add users', subject: 'Kim', who: 'admin-principal' });
    expect(JSON.stringify(added)).not.toContain(password);
  });

  it('is found by person, act and subject, in pages', async () => {
    for (const partId of ['P-100', 'P-100', 'P-100']) await as('supervisor', 'PUT', '/machines/RF-02/part', { partId });
    expect((await entries('?q=rf-02')).length).toBe(3);
    expect((await entries('?q=SUPERVISOR-')).length).toBe(3);
    expect(await entries('?q=nobody')).toEqual([]);
    const numbers: unknown[] = [];
    let next: number | null = 1_000_000;
    while (next !== null) {
      const { body } = await as('technician', 'GET', `/audit?take=2&before=${next}`);
      const page = body as { readonly entries: readonly { readonly number: number }[]; readonly next: number | null };
      numbers.push(...page.entries.map(({ number }) => number));
      next = page.next;
    }
    expect(numbers).toEqual(numbers.map((_, place) => numbers.length - place));
  });

  it('F18: is found by the names of machines and parts, and by its change', async () => {
    await as('supervisor', 'PUT', '/machines/RF-02/part', { partId: 'P-100' });
    const [newest] = await entries();
    for (const text of ['rollformer rf-02', 'P-100', 'panel']) {
      expect((await entries(`?q=${encodeURIComponent(text)}`))[0]).toEqual(newest);
    }
  });

  it('F18: is found by the day of the plant, where the day begins at midnight in its zone', async () => {
    const dayIn = (at: number) => new Intl.DateTimeFormat('sv', { timeZone: 'America/Chicago' }).format(at);
    const today = dayIn(Date.now());
    const all = await entries('?take=1000');
    expect(await entries(`?take=1000&date=${today}`)).toEqual(all.filter(({ at }) => dayIn(Number(at)) === today));
    expect(await entries(`?date=${dayIn(Date.now() + 86_400_000)}`)).toEqual([]);
    const { status, text } = await as('technician', 'GET', '/audit?date=2026-02-30');
    expect({ status, text }).toMatchObject({ status: 400, text: expect.stringContaining('date') });
  });

  it('is exported as CSV that contains no formula', async () => {
    await as('admin', 'POST', '/plant/parts', { partId: '=1+1', partName: 'x' });
    const response = await fetch(`${gateway.url}/api/local/audit.csv?q=add%20parts`, {
      headers: { authorization: `ApiKey ${keyOf('technician')}` },
    });
    expect(response.headers.get('content-disposition')).toContain('audit.csv');
    const [columns, line] = (await response.text()).split('\r\n');
    expect(columns).toBe('number,at,who,role,address,act,subject,before,after,hash');
    expect(line).toContain(",'=1+1,");
  });
});
