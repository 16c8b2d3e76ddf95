import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { centralVerdict, isOwnAbsence } from '../../../src/domain/sync/central-verdict.ts';

const TAKEN = { kind: 'taken' };
const page = {
  kind: 'later',
  detail: expect.stringContaining('with a page for people'),
  forMs: null,
  doubtsServer: true,
};
const later = (forMs: number | null) => ({ kind: 'later', detail: expect.any(String), forMs });

describe('the verdict on a row by the central server’s answer', () => {
  it.each([
    [200, '', TAKEN],
    [200, '{"taskId":"T-1"}', TAKEN],
    [202, 'Accepted', TAKEN],
    [204, '', TAKEN],
    [200, '<!DOCTYPE html><html>', page],
    [200, '\uFEFF\r\n <html>', page],
    [200, '<?xml version="1.0"?><!DOCTYPE html>', page],
    [200, '<!-- portal --><html>', page],
    [200, '<meta http-equiv="refresh" content="0; url=/login">', page],
    [202, '<script>location="/login"</script>', page],
    [302, '', later(null)],
    [
      400,
      '{"errors":["taskState: found Complete"]}',
      { kind: 'refused', reason: 'HTTP 400: taskState: found Complete' },
    ],
    [401, '', { kind: 'unauthorized', detail: 'HTTP 401' }],
    [
      403,
      '["NotLicensedForMachineWarehouse"]',
      { kind: 'refused', reason: 'HTTP 403: NotLicensedForMachineWarehouse', doubtsKey: true },
    ],
    [403, '{"errors":["role too small"]}', { kind: 'refused', reason: 'HTTP 403: role too small', doubtsKey: true }],
    [404, '{"message":"No such order"}', { kind: 'refused', reason: 'HTTP 404: No such order' }],
    [408, '', later(null)],
    [409, '', { kind: 'refused', reason: 'HTTP 409' }],
    [413, '', { kind: 'refused', reason: 'HTTP 413' }],
    [400, '<html>Bad Request</html>', page],
    [403, '<html>Blocked</html>', page],
    [404, '\n<!DOCTYPE html><html>Not Found</html>', page],
    [405, '<html>Method Not Allowed</html>', page],
    [409, '<?xml version="1.0"?><error/>', page],
    [401, '<html>Sign in</html>', { kind: 'unauthorized', detail: 'HTTP 401' }],
    [413, '<html>Too Large</html>', { kind: 'refused', reason: 'HTTP 413' }],
    [414, '<html>Too Long</html>', { kind: 'refused', reason: 'HTTP 414' }],
    [500, '', later(null)],
  ])('UP-02 UP-05 %i %j', (status, text, verdict) => {
    expect(centralVerdict(status, text, null)).toEqual(verdict);
  });

  it.each([
    ['', true],
    [' \r\n', true],
    ['{"errors":["No coil with id C-1"]}', true],
    ['{"code":"404","message":"Not Found"}', true],
    ['["No profile with id P-1"]', true],
    ['{"type":"about:blank","title":"Not Found","status":404}', true],
    ['"Not Found"', true],
    ['<html>Not Found</html>', false],
    ['404 page not found', false],
    ['404', false],
    ['{"errors":["No co', false],
  ])('UP-02 D-51 an answer %j that a record is missing is the server’s own: %j', (text, isOwn) => {
    expect(isOwnAbsence(text)).toBe(isOwn);
  });

  it.each([
    [429, null, 1_000],
    [429, '0', 1_000],
    [429, '', 1_000],
    [429, ' 5 ', 5_000],
    [429, '86400', 60_000],
    [429, '-1', 1_000],
    [429, 'Wed, 21 Oct 2026 07:28:00 GMT', 1_000],
    [503, '0', 1_000],
    [503, '', null],
    [503, '2', 2_000],
    [503, 'soon', null],
  ])('UP-02 %i with Retry-After %j waits for %j ms', (status, retryAfter, forMs) => {
    expect(centralVerdict(status, '', retryAfter)).toEqual(later(forMs));
  });

  it('UP-02 UP-05 is given for any JSON that a server says, also for an object whose toString is no function', () => {
    const said = fc.oneof(
      fc.json(),
      fc.array(fc.json()).map((list) => `{"errors":[${list.join()}]}`),
      fc.constantFrom(
        '{"errors":[{"toString":1}]}',
        '[{"valueOf":1,"toString":null}]',
        `{"errors":[${'['.repeat(30_000)}`,
      ),
      fc.constant(`{"errors":[${'['.repeat(30_000)}${']'.repeat(30_000)}]}`),
    );
    fc.assert(fc.property(said, (text) => centralVerdict(400, text, null).kind === 'refused'));
  });

  it.each([
    [
      'more sentences than a person reads',
      JSON.stringify(Array.from({ length: 1_000 }, () => 'no')),
      /^HTTP 400: (no; ){19}no$/,
    ],
    ['a book', JSON.stringify(['x'.repeat(70_000)]), /^HTTP 400$/],
  ])('UP-05 does not repeat %s', (_, text, reason) => {
    expect(centralVerdict(400, text, null)).toMatchObject({ reason: expect.stringMatching(reason) });
  });

  it('UP-02 never leads to a busy loop, for any Retry-After', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(408, 425, 429, 500, 503),
        fc.oneof(fc.string(), fc.nat().map(String)),
        (status, said) => {
          const verdict = centralVerdict(status, '', said);
          return verdict.kind === 'later' && (verdict.forMs === null || verdict.forMs >= 1_000);
        },
      ),
    );
  });
});
