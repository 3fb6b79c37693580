// Names of records: their own, or those of the records that they belong to.

import t from 'tap';
import { apiSessionKind } from '../../src/records/api-session.ts';
import { furnishedNetwork } from '../commands/offline/looking.ts';
import { bootNetwork } from '../simulated/network.ts';

t.test('records of every kind with a name of some sort', async (t) => {
  const network = await furnishedNetwork();
  const { store, inspection, registry } = network.env;
  const called = (kind: string) =>
    [...store.tableNamed(kind).all()].map(({ record }) => inspection.names.of(kind, record)).sort();
  t.same(called('identity'), ['admin', 'berta', 'carl']);
  t.same(called('apiSession'), ['admin', 'berta']);
  t.same(called('authenticator'), ['updb admin', 'updb berta']);
  t.same(called('enrollment'), ['erott north', 'ott carl']);
  t.same(called('mfaEnrollment'), ['berta']);
  t.same(called('session'), ['Dial printer berta']);
  t.same(called('terminator'), ['printer tcp:printer:9100']);
  for (const [kind, { calledBy }] of registry.kinds) {
    // There is only one record of some kinds, so its id says enough.
    if (calledBy?.length === 0) continue;
    for (const { record } of store.tableNamed(kind).all()) {
      t.not(inspection.names.at(kind, record.id), '', kind);
    }
  }
  await network.stop();
});

t.test('a missing record has no name, and takes none from others', async (t) => {
  const network = await bootNetwork();
  const { inspection, store } = network.env;
  t.equal(inspection.names.at('identity', 'nobody'), '');
  t.equal(inspection.names.at('unknown', 'nobody'), '');
  const [row] = [...store.table(apiSessionKind).all()];
  if (row === undefined) throw new Error('no session');
  const orphan = { ...row.record, identityId: 'gone' };
  t.equal(inspection.names.of('apiSession', orphan), '');
  t.equal(inspection.names.of('unknown', orphan), '');
  await network.stop();
});
