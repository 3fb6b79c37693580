// A machine whose clock jumps: acknowledged changes stay, snapshots and sessions continue, and one
// log line reports it.

import t from 'tap';
import { readFrames } from '../../snapshots/log/read-frames.ts';
import { bootNetwork, type Network } from '../simulated/network.ts';

const minute = 60_000;
const hour = 60 * minute;

const identity = (name: string) => ({ name, type: 'Default', isAdmin: false });

async function namesIn(network: Network): Promise<string[]> {
  const rows = await network.must<{ name: string }[]>('GET', 'M:/identities?limit=500');
  return rows.map(({ name }) => name).sort();
}

for (const [way, jumpMs] of [
  ['back', -3 * hour],
  ['forward', 5 * minute],
] as const) {
  t.test(`${way}, with a snapshot on either side of a jump`, async (t) => {
    const network = await bootNetwork();
    await network.create('identities', identity('before'));
    await network.must('POST', 'M:/database/snapshot');
    network.clock.jump(jumpMs);
    await network.advance(minute);
    t.match(network.logged, [new RegExp(`jumped ${way}: see to its time service`)]);
    await network.create('identities', identity('after'));
    t.equal((await network.call('POST', 'M:/database/snapshot')).status, 200, 'no 429 by the jump');
    await network.create('identities', identity('later'));
    const times = [...readFrames(network.disk, '/home')].flatMap((entry) =>
      entry.entry === 'transaction' ? [entry.frame.timeMs] : [],
    );
    const goBack = times.some((time, index) => time < (times[index - 1] ?? 0));
    t.equal(goBack, way === 'back', 'frames bear the time of the wall clock');

    const names = await namesIn(network);
    await network.crash();
    t.equal(network.core.report.framesReplayed, 1, 'from the second snapshot');
    t.equal((await network.call('GET', 'M:/identities')).status, 200, 'the session lives on');
    t.same(await namesIn(network), names);
    await network.stop();
  });
}

t.test('far forward ends sessions, and a jump back does not bring them to life', async (t) => {
  const network = await bootNetwork();
  network.clock.jump(24 * hour);
  await network.advance(minute);
  t.equal((await network.call('GET', 'M:/identities')).status, 401);
  network.clock.jump(-24 * hour);
  await network.advance(minute);
  t.equal((await network.call('GET', 'M:/identities')).status, 401);
  t.match(network.logged, [/jumped forward/, /jumped back/]);
  await network.logInAdmin();
  t.equal((await network.call('GET', 'M:/identities')).status, 200);
  await network.stop();
});
