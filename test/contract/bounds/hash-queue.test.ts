// Honest logins during a flood of others: the number of hashes that they wait for.

import { availableParallelism } from 'node:os';
import t from 'tap';
import { planHashing } from '../../../src/auth/passwords/shared-hasher.ts';
import { adminPassword, adminUser, bootNetwork, type Network } from '../../simulated/network.ts';

const { runningMax } = planHashing(availableParallelism());
const home = '127.0.0.1';
const elsewhere = '198.51.100.7';

function attempt(network: Network, username: string, password: string, address: string) {
  const body = { username, password };
  return network.call('POST', 'C:/authenticate?method=password', { body, token: null, address });
}

/** 300 attempts that wait, and those beyond the queue that were refused. */
async function flood(network: Network, address: string, name: (number: number) => string) {
  network.hasher.hold();
  const all = Array.from({ length: 300 }, (_, number) =>
    attempt(network, name(number), 'wrong-password', address),
  );
  await network.clock.settle();
  return all;
}

/** Hashes that are let go until `login` is answered. */
async function hashesUntil(network: Network, login: Promise<unknown>): Promise<number> {
  let isAnswered = false;
  const watched = login.finally(() => {
    isAnswered = true;
  });
  for (let hashes = 0; ; hashes++) {
    await network.clock.settle();
    if (isAnswered) {
      await watched;
      return hashes;
    }
    network.hasher.letGo(1);
  }
}

t.test('40 logins of an administrator, while others flood the queue', async (t) => {
  for (const address of [elsewhere, home]) {
    for (const name of [() => 'nobody', (number: number) => `nobody-${number}`]) {
      const network = await bootNetwork();
      const all = await flood(network, address, name);
      for (let number = 0; number < 40; number++) {
        const login = attempt(network, adminUser, adminPassword, home);
        // Its own hash, those that run, and one of the other queue.
        const hashes = await hashesUntil(network, login);
        if (hashes > runningMax + 2) t.fail(`login ${number} waited for ${hashes} hashes`);
        if ((await login).status !== 200) t.fail(`login ${number}: ${(await login).status}`);
        all.push(attempt(network, name(number), 'wrong-password', address));
      }
      network.hasher.release();
      const statuses = new Set((await Promise.all(all)).map(({ status }) => status));
      t.same([...statuses].sort(), [401, 429], `${address} ${name(1)}`);
      await network.stop();
    }
  }
});

t.test('a user who never logged in before gets a turn as well', async (t) => {
  const network = await bootNetwork();
  await network.createUser('alice', 'alice-password');
  const all = await flood(network, elsewhere, () => 'nobody');
  const login = attempt(network, 'alice', 'alice-password', home);
  t.ok((await hashesUntil(network, login)) <= runningMax + 3);
  t.equal((await login).status, 200);
  network.hasher.release();
  await Promise.all(all);
  await network.stop();
});

t.test('an administrator is known after a restart, too', async (t) => {
  const network = await bootNetwork();
  await network.crash();
  const all = await flood(network, home, (number) => `nobody-${number}`);
  const login = attempt(network, adminUser, adminPassword, home);
  t.ok((await hashesUntil(network, login)) <= runningMax + 2);
  t.equal((await login).status, 200);
  network.hasher.release();
  await Promise.all(all);
  await network.stop();
});
