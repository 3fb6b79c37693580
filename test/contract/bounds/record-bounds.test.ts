// Bounds on the number of records: one more is refused before anything is written, and a home that
// holds more than it may still starts.

import t from 'tap';
import { apiSessionKind } from '../../../src/records/api-session.ts';
import { flushed, look } from '../../commands/offline/looking.ts';
import { bootNetwork, type Network } from '../../simulated/network.ts';

const apiSessionsMax = 5;

/** The administrator's own session is the first. */
async function fullNetwork(): Promise<Network> {
  const network = await bootNetwork({ limits: { apiSessionsMax } });
  await network.createUser('alice', 'alice-password');
  while (network.env.store.table(apiSessionKind).size < apiSessionsMax) {
    await network.login('alice', 'alice-password');
  }
  return network;
}

const logIn = (network: Network) =>
  network.call('POST', 'C:/authenticate?method=password', {
    token: null,
    body: { username: 'alice', password: 'alice-password' },
  });

const failing = async (network: Network) => {
  const { data } = await network.call('GET', '/health-checks', { token: null });
  const { checks } = data as { checks: { id: string; healthy: boolean }[] };
  return checks.filter(({ healthy }) => !healthy).map(({ id }) => id);
};

const tooMany = { status: 429, code: 'TOO_MANY_RECORDS' };

t.test('one API session too many is refused, and leaves no trace', async (t) => {
  const network = await fullNetwork();
  const { journal } = network.core;
  const { lastLsn } = journal;
  for (let n = 0; n < 3; n++) t.match(await logIn(network), tooMany);
  t.equal(journal.lastLsn, lastLsn, 'nothing was appended');
  t.same(await failing(network), ['records'], 'the health check says so');
  await network.kill();
  t.equal(network.env.store.table(apiSessionKind).size, apiSessionsMax, 'the home starts');
  t.match(await logIn(network), tooMany);
  await network.must('DELETE', 'C:/current-api-session');
  t.match(await logIn(network), { status: 200 }, 'there is room again');
});

t.test('a home over its bound starts, says so, and takes no more', async (t) => {
  const network = await fullNetwork();
  const { limits } = network.config;
  network.config = { ...network.config, limits: { ...limits, apiSessionsMax: 3 } };
  await network.kill();
  const lines = network.logged.join('');
  t.match(lines, /"kind":"apiSession","records":5,"recordsMax":3/);
  t.same(await failing(network), ['records']);
  t.match(await logIn(network), tooMany);
  t.match(await network.call('GET', 'M:/identities'), { status: 200 }, 'what is there goes on');
});

t.test('`check` knows the configured bounds, and warns', async (t) => {
  const network = await bootNetwork({ limits: { apiSessionsPerIdentityMax: 2000 } });
  while (network.env.store.table(apiSessionKind).size < 1010) await network.logInAdmin();
  await flushed(network);
  await network.stop();
  const config = JSON.stringify({ limits: { apiSessionsMax: 1000 } });
  const looked = await look(network.disk, ['check'], { files: { '/home/config.json': config } });
  t.match(looked, { code: 0, stdout: '' }, 'the home is sound');
  t.match(looked.stderr, /1010 records of the kind apiSession, and 1000 are permitted/);
  const unread = await look(network.disk, ['check'], { files: { '/home/config.json': '{' } });
  t.match(unread, { code: 0, stdout: '' });
  t.match(unread.stderr, /is not valid JSON.*default bounds/s);
});
