// The log level as administrators change it, and what each line of a request carries.

import t from 'tap';
import { bootNetwork } from '../simulated/network.ts';

type Line = Readonly<Record<string, unknown>>;

t.test('debug lines come and go, each with the id of its request', async (t) => {
  const network = await bootNetwork();
  const lines = () => network.logged.splice(0).map((line) => JSON.parse(line) as Line);
  lines();
  await network.must('GET', 'M:/identities?filter=name="admin"');
  t.same(lines(), [], 'at warn nothing is said of a list');

  await network.must('PUT', 'M:/inspect/log-level', { level: 'debug' });
  const [changed] = lines();
  t.match(changed, { level: 'info', message: /log level was changed until the next start/ });
  t.match(changed, { logLevel: 'debug', actor: String });
  await network.must('GET', 'M:/identities?filter=name="admin"');
  const missing = await network.call('GET', 'M:/identities/none');
  const told = lines();
  const messages = told.map(({ message }) => message);
  t.same(messages, [
    'how the rows of a list were found',
    'a request was answered',
    'a request was answered',
  ]);
  const ids = told.map(({ requestId }) => requestId);
  t.equal(ids[0], ids[1], 'both lines of a request carry its id');
  const { error } = missing.json() as { error: { requestId: string } };
  t.equal(ids[2], error.requestId, 'the id that the client is told');
  t.match(told[2], { operation: 'detailIdentity', status: 404, ms: Number });
  t.notMatch(JSON.stringify(told), network.admin);

  await network.must('PUT', 'M:/inspect/log-level', { level: 'error' });
  lines();
  await network.must('GET', 'M:/identities?filter=name="admin"');
  network.clock.jump(600_000);
  await network.advance(60_000);
  t.same(lines(), [], 'warnings are silent as well');
  await network.restart();
  const after = await network.must<{ level: string }>('GET', 'M:/inspect/log-level');
  t.equal(after.level, 'warn', 'the next start begins with its setting');
  await network.stop();
});
