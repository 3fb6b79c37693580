// Names with control characters that were stored before they were refused continue to work.

import t from 'tap';
import { bootNetwork } from '../simulated/network.ts';

const cause = { actor: 'test', requestId: '', operation: 'test' };

t.test('a stored name or user name with control characters still loads and works', async (t) => {
  const network = await bootNetwork();
  const id = await network.createUser('alice', 'alice-password');
  const rename = (kind: string, index: string, key: string, values: object) => {
    const table = network.env.store.tableNamed(kind);
    const row = table.findBy(index, key);
    if (row === undefined) throw new Error(`no ${kind} ${key}`);
    network.env.store.transact(cause, (tx) => tx.put(table, { ...row.record, ...values }));
  };
  rename('authenticator', 'username', 'alice', { username: 'alice\u0007' });
  rename('identity', 'name', 'alice', { name: 'a\u0007b', roleAttributes: ['x\ty'] });
  await network.restart();
  t.ok(await network.login('alice\u0007', 'alice-password'));
  const path = `M:/identities/${id}`;
  t.match(await network.must('GET', path), { name: 'a\u0007b', roleAttributes: ['x\ty'] });
  await network.must('PATCH', path, { appData: { seen: true } });
  const filter = encodeURIComponent('name contains "b" sort by name');
  t.match(await network.must('GET', `M:/identities?filter=${filter}`), [{ id }]);
  await network.must('POST', 'M:/database/check-data-integrity');
  await network.advance(60_000);
  t.match(await network.must('GET', 'M:/database/data-integrity-results'), { results: [] });
  await network.must('PATCH', path, { name: 'ab' });
  await network.stop();
});
