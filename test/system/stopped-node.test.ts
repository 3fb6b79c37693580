// The home of a stopped node of a cluster: it gives a backup, from which a controller starts alone,
// and is changed by no command.

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { t } from 'tap';
import { nodeDisk } from '../../snapshots/home/disk.ts';
import { writeMembership } from '../../snapshots/home/membership.ts';
import { connect, logIn } from './client.ts';
import { runHere } from './command-here.ts';
import { adminPassword, makeHome, roomOf, runToEnd, serve } from './process.ts';
import { digestOfHome } from './record-digest.ts';

t.test('a backup of a stopped node', async (t) => {
  const home = makeHome(t);
  await runHere(['init', '--home', home], { EDGE_ADMIN_PASSWORD: adminPassword });
  const serving = await serve(t, home);
  const admin = await logIn(connect(t, serving));
  await admin.create('identities', { name: 'one', type: 'Default', isAdmin: false });
  await serving.process.kill();
  writeMembership(nodeDisk, home, { generation: 1, nodeId: 'n1' });
  const before = digestOfHome(home);
  const files = () => readdirSync(home, { recursive: true }).map(String).sort();
  const filesBefore = files().filter((name) => name !== 'lock');

  const plain = await runHere(['snapshot', '--home', home]);
  t.match(plain, { code: 2, stderr: /belongs to a cluster, .* with --output\.\n$/ });
  const backup = join(roomOf(t), 'backup');
  const taken = await runToEnd(t, ['snapshot', '--home', home, '--output', backup]);
  t.match(taken, { code: 0, stdout: /^backup .*, LSN \d+, \d+ files\n$/ });
  t.match(taken.stderr, /may lack what the cluster confirmed in its last second/);
  const again = await runHere(['snapshot', '--home', home, '--output', backup]);
  t.match(again, { code: 1, stderr: /exists already/ });
  const reset = await runHere(['admin', 'reset', '--home', home], {}, 'another password\n');
  t.match(reset, { code: 2, stderr: /is stopped and belongs to a cluster, in which only/ });
  t.strictSame(files(), filesBefore, 'and the home is as it was');
  t.strictSame(digestOfHome(home), before);

  const restored = join(roomOf(t), 'restored');
  const made = await runHere(['restore', backup, '--home', restored]);
  t.equal(made.code, 0, made.stderr);
  const alone = await serve(t, restored);
  const names = (await (await logIn(connect(t, alone))).all('identities')).map(({ name }) => name);
  t.ok(names.includes('one'));
});
