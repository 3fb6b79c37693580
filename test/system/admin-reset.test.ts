// `edge-control admin reset` against real processes: a stopped home, and one that is served.

import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { t } from 'tap';
import { client, connect, logIn, management } from './client.ts';
import { runHere } from './command-here.ts';
import { adminPassword, cheapHashes, makeHome, runToEnd, serve } from './process.ts';

const newPassword = 'a-password-set-by-reset';

t.test('a stopped home', async (t) => {
  const home = makeHome(t);
  await runHere(['init', '--home', home], { EDGE_ADMIN_PASSWORD: adminPassword });
  writeFileSync(join(home, 'admin-password'), `${adminPassword}\n`, { mode: 0o600 });
  const words = ['admin', 'reset', '--home', home, '--remove-mfa'];
  const { code, stdout, stderr } = await runToEnd(t, words, {}, `${newPassword}\n`);
  t.equal(code, 0, stderr);
  t.match(stdout, /^Administrator admin has a new password/);
  t.match(stdout, /held the old password and was removed/);
  t.notOk(existsSync(join(home, 'admin-password')));
  t.notMatch(stdout + stderr, newPassword);
  const serving = await serve(t, home);
  await logIn(connect(t, serving), 'admin', newPassword);
});

t.test('a home that is served, locked out and all', async (t) => {
  const [one, two] = ['d'.repeat(60), 'e'.repeat(60)];
  const config = JSON.stringify({ argon2: cheapHashes, tlsWorkers: 1 });
  const home = join(t.testdir({ [one]: { [two]: { 'config.json': config } } }), one, two);
  const socket = join(home, 'run/owner.sock');
  t.ok(Buffer.byteLength(socket) > 108, 'deeper than a socket path may be');
  await (await serve(t, home)).process.kill();
  t.ok(existsSync(socket), 'a stale one is left behind');

  const serving = await serve(t, home);
  const admin = await logIn(connect(t, serving));
  await admin.ask('PATCH', `${management}/auth-policies/default`, {
    primary: { updb: { maxAttempts: 1, lockoutDurationMinutes: 0 } },
  });
  const path = `${client}/authenticate?method=password`;
  const body = { username: 'admin', password: 'wrong-password' };
  t.equal((await admin.client.call('POST', path, { body })).status, 401);

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
