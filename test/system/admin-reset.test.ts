// `edge-control admin reset` against real processes: a stopped home, and one that is served.

import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { t } from 'tap';
import { sendToOwnerSocket } from '../../src/http/owner-socket.ts';
import { client, connect, logIn, management } from './client.ts';
import { adminPassword, makeHome, runToEnd, serve } from './process.ts';

const newPassword = 'a-password-set-by-reset';

t.test('a stopped home', async (t) => {
  const home = makeHome(t);
  await runToEnd(t, ['init', '--home', home], { EDGE_ADMIN_PASSWORD: adminPassword });
  writeFileSync(join(home, 'admin-password'), `${adminPassword}\n`, { mode: 0o600 });
  const reset = (input: string, ...more: string[]) =>
    runToEnd(t, ['admin', 'reset', '--home', home, ...more], {}, input);

  t.match(await reset(''), { code: 2, stderr: /No password was given/ });
  t.match(await reset('shor\n'), { code: 1, stderr: /must have at least 5 characters/ });
  const unknown = await reset(`${newPassword}\n`, '--username', 'nobody');
  t.match(unknown, { code: 1, stderr: /No administrator has the user name nobody/ });
  t.ok(existsSync(join(home, 'admin-password')));

  const { code, stdout, stderr } = await reset(`${newPassword}\n`, '--remove-mfa');
  t.equal(code, 0);
  t.match(stdout, /^Administrator admin has a new password/);
  t.match(stdout, /held the old password and was removed/);
  t.notOk(existsSync(join(home, 'admin-password')));
  t.notMatch(stdout + stderr, newPassword);
  const serving = await serve(t, home);
  await logIn(connect(t, serving), 'admin', newPassword);
  await serving.process.stop();

  const nowhere = await runToEnd(t, ['admin', 'reset', '--home', join(home, 'none')], {}, 'x');
  t.match(nowhere, { code: 2, stderr: /is no home of a controller/ });
});

t.test('a home that is served, locked out and all', async (t) => {
  const home = makeHome(t);
  const serving = await serve(t, home);
  const admin = await logIn(connect(t, serving));
  await admin.ask('PATCH', `${management}/auth-policies/default`, {
    primary: { updb: { maxAttempts: 1, lockoutDurationMinutes: 0 } },
  });
  const path = `${client}/authenticate?method=password`;
  const body = { username: 'admin', password: 'wrong-password' };
  t.equal((await admin.client.call('POST', path, { body })).status, 401);

  const socket = join(home, 'run/owner.sock');
  t.equal(statSync(socket).mode & 0o777, 0o600, 'for the owner alone');
  t.equal(statSync(join(home, 'run')).mode & 0o777, 0o700);
  const reset = await runToEnd(t, ['admin', 'reset', '--home', home], {}, newPassword);
  t.match(reset, { code: 0, stdout: /^Administrator admin has a new password/, stderr: '' });
  t.equal((await admin.call('GET', `${management}/identities`)).status, 401, 'sessions end');
  await logIn(admin.client, 'admin', newPassword);

  const { stdout, stderr } = await serving.process.stop();
  t.match(stderr, /an administrator was reset at the order of the owner/);
  t.notMatch(stdout + stderr, newPassword);
  t.notOk(existsSync(socket), 'the socket goes with the controller');
  for (const name of readdirSync(join(home, 'log'))) {
    t.notMatch(readFileSync(join(home, 'log', name), 'latin1'), newPassword);
  }
});

t.test('a stale socket is replaced, however deep the home lies', async (t) => {
  const [one, two] = ['d'.repeat(60), 'e'.repeat(60)];
  const home = join(t.testdir({ [one]: { [two]: {} } }), one, two, 'home');
  const first = await serve(t, home);
  await first.process.kill();
  t.ok(existsSync(join(home, 'run/owner.sock')), 'left behind');
  t.ok(Buffer.byteLength(join(home, 'run/owner.sock')) > 108, 'longer than a socket path may be');
  await serve(t, home);
  t.match(await sendToOwnerSocket(home, { order: 'another' }, 60_000), {
    refused: 'This controller does not know the order.',
  });
  const reset = await runToEnd(t, ['admin', 'reset', '--home', home], {}, newPassword);
  t.match(reset, { code: 0, stdout: /^Administrator admin has a new password/ });
});
