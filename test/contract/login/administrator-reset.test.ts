// A reset by the owner of the home makes a login possible, whatever prevented it before.

import t from 'tap';
import { authPolicyKind } from '../../../src/records/auth-policy.ts';
import { mfaEnrollmentKind } from '../../../src/records/mfa-enrollment.ts';
import {
  type AdministratorReset,
  ResetRefused,
  resetAdministrator,
} from '../../../src/resources/authenticators/administrator-reset.ts';
import { adminPassword, adminUser, bootNetwork, type Network } from '../../simulated/network.ts';

const order = { username: undefined, password: 'new-password', removeMfa: false };

async function reset(network: Network, more: Partial<AdministratorReset> = {}) {
  let settled = false;
  const done = resetAdministrator(network.env, { ...order, ...more }).finally(() => {
    settled = true;
  });
  done.catch(() => undefined);
  while (!settled) await network.advance(1);
  return await done;
}

const logIn = (network: Network, username: string, password: string, address?: string) =>
  network.call('POST', 'C:/authenticate?method=password', {
    body: { username, password },
    token: null,
    ...(address === undefined ? {} : { address }),
  });

/** Takes every way to log in by writing it: what the operations refuse, older homes may have. */
function bar(network: Network, primary: object, secondary: object = {}): void {
  const { store } = network.env;
  const table = store.table(authPolicyKind);
  const cause = { actor: 'test', requestId: '', operation: 'test' };
  store.transact(cause, (tx) => {
    const policy = table.find('default')?.record as unknown as { primary: object };
    tx.put(table, { ...policy, primary: { ...policy.primary, ...primary }, ...secondary } as never);
  });
}

t.test('a lost password, and sessions that somebody else may have', async (t) => {
  const network = await bootNetwork();
  const { lines, isDefaultAdmin } = await reset(network);
  t.same(lines, ['Administrator admin has a new password; the user name is admin.']);
  t.equal(isDefaultAdmin, true);
  t.equal((await network.call('GET', 'M:/identities')).status, 401, 'all sessions end');
  t.equal((await logIn(network, adminUser, adminPassword)).status, 401);
  t.equal((await logIn(network, adminUser, 'new-password')).status, 200);
  await network.crash();
  t.equal((await logIn(network, adminUser, 'new-password')).status, 200, 'it is durable');
  await network.stop();
});

t.test('locked out, and a default policy without passwords', async (t) => {
  const network = await bootNetwork();
  await network.must('PATCH', 'M:/auth-policies/default', {
    primary: { updb: { maxAttempts: 1, lockoutDurationMinutes: 0 } },
  });
  await logIn(network, adminUser, 'wrong-password', '198.51.100.7');
  const { primary } = await network.must<{ primary: { updb: object } }>(
    'GET',
    'M:/auth-policies/default',
  );
  bar(network, { updb: { ...primary.updb, allowed: false } });
  t.same((await reset(network)).lines.slice(1), [
    'The default auth policy forbade passwords, and allows them now.',
    'The administrator was locked out, and is not any more.',
  ]);
  t.equal((await logIn(network, adminUser, 'new-password', '198.51.100.7')).status, 200);
  await network.stop();
});

t.test('another policy, a deleted authenticator, a disabled administrator', async (t) => {
  const network = await bootNetwork();
  const second = await network.createUser('second', 'second-password', { isAdmin: true });
  const policy = await network.must<object>('GET', 'M:/auth-policies/default');
  const authPolicyId = await network.create('auth-policies', { ...policy, name: 'other' });
  await network.must('PATCH', `M:/identities/${second}`, { authPolicyId });
  const { authenticators } = await network.must<{ authenticators: { updb: { id: string } } }>(
    'GET',
    `M:/identities/${second}`,
  );
  await network.must('DELETE', `M:/authenticators/${authenticators.updb.id}`);
  await network.must('POST', `M:/identities/${second}/disable`, { durationMinutes: 0 });
  const { lines, isDefaultAdmin } = await reset(network, { username: 'second' });
  t.equal(isDefaultAdmin, false);
  t.same(lines, [
    'Administrator second has a new password; the user name is second.',
    'The administrator has the default auth policy now.',
    'The administrator was disabled, and is enabled now.',
  ]);
  t.equal((await logIn(network, 'second', 'new-password')).status, 200);
  t.equal((await network.call('GET', 'M:/identities')).status, 200, 'of nobody else');
  await network.stop();
});

t.test('MFA is removed on request', async (t) => {
  const network = await bootNetwork();
  await network.must('POST', 'C:/current-identity/mfa');
  t.same((await reset(network)).lines.length, 1);
  t.equal(network.env.store.table(mfaEnrollmentKind).size, 1);
  t.same((await reset(network, { removeMfa: true })).lines.slice(1), [
    'The MFA of the administrator was removed.',
  ]);
  t.equal(network.env.store.table(mfaEnrollmentKind).size, 0);

  bar(network, {}, { secondary: { requireTotp: false, requireExtJwtSigner: 'gone' } });
  const warned = (await reset(network)).lines;
  t.match(warned[1], /asks for an external token besides/);
  const lifted = (await reset(network, { removeMfa: true })).lines;
  t.match(lifted[1], /asks for no external token any more/);
  const login = await logIn(network, adminUser, 'new-password');
  t.match(login.data, { authQueries: [] });
  await network.stop();
});

t.test(
  'identities that are no administrators, and passwords that the policy refuses',
  async (t) => {
    const network = await bootNetwork();
    await network.createUser('alice', 'alice-password');
    const before = network.core.journal.lastLsn;
    for (const username of ['alice', 'nobody']) {
      await t.rejects(
        reset(network, { username }),
        new ResetRefused(`No administrator has the user name ${username}.`),
      );
    }
    const short = reset(network, { password: 'shor' });
    await t.rejects(short, new ResetRefused('The password must have at least 5 characters.'));
    t.equal(network.core.journal.lastLsn, before, 'nothing is written');
    t.equal((await logIn(network, adminUser, adminPassword)).status, 200);
    await network.stop();
  },
);

t.test('the log names the actor, and holds no secret', async (t) => {
  const network = await bootNetwork();
  await reset(network);
  await network.stop();
  const { look } = await import('../../commands/offline/looking.ts');
  const { lines } = await look(network.disk, ['log']);
  const line = lines.find((text) => text.includes('resetAdministrator')) ?? '';
  t.match(JSON.parse(line), {
    actor: { id: 'edge-control admin reset' },
    operation: 'resetAdministrator',
  });
  t.notMatch(line, /argon2|new-password/);
});
