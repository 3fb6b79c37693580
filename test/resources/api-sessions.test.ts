// API sessions as earlier versions stored them.

import t from 'tap';
import { type ApiSessionRecord, apiSessionKind } from '../../src/records/api-session.ts';

/** The values of version 3. */
function stored(isMfaComplete: boolean, mfaPassedAt: number | null): unknown[] {
  const session = ['full', 'sealed', 'i', 'a', [], '127.0.0.1', false, isMfaComplete, false, 9];
  return [5, 5, null, null, ...session, mfaPassedAt, null, null, 'hash', null];
}

const read = (values: unknown[], version = 3) =>
  apiSessionKind.codec.decode('s', version, values) as ApiSessionRecord;

t.test('an accepted code stays accepted, since the session began at the earliest', async (t) => {
  const { mfaPassedAt, isMfaComplete, secondFactorUntil } = read(stored(true, null));
  t.same([mfaPassedAt, isMfaComplete, secondFactorUntil], [5, true, undefined]);
  t.equal(read(stored(true, 7)).mfaPassedAt, 7);
  t.equal(read(stored(false, null)).mfaPassedAt, undefined);
  const again = apiSessionKind.codec.encode(read(stored(true, null)));
  t.same(read(again as unknown[], 4), read(stored(true, null)));
});
