// `log` and `check` as processes of their own, beside a controller that serves and without one.

import { t } from 'tap';
import { connect, logIn } from './client.ts';
import { runHere } from './command-here.ts';
import { damageFrame, digestOf } from './damage.ts';
import { makeHome, Process, runToEnd, serve } from './process.ts';

t.test('beside a controller, and after it', async (t) => {
  const home = makeHome(t);
  const serving = await serve(t, home);
  const follower = new Process(t, ['log', '--home', home, '--follow', '--kind', 'service'], {});
  const admin = await logIn(connect(t, serving));
  const body = { encryptionRequired: true };
  await admin.create('services', { ...body, name: 'first' });
  await follower.says('stdout', '"first"');
  await admin.create('services', { ...body, name: 'second' });
  await follower.says('stdout', '"second"');
  follower.signal('SIGINT');
  const followed = await follower.ended;
  t.match(followed, { code: 0, signal: null, stderr: '' });
  t.equal(followed.stdout.trim().split('\n').length, 2);

  const beside = await runToEnd(t, ['check', '--home', home]);
  t.match(beside, { code: 0, stdout: '' });
  t.match(beside.stderr, new RegExp(`as process ${serving.process.child.pid} had made it durable`));
  t.equal((await serving.process.stop()).code, 0);

  const before = digestOf(home);
  const after = await runHere(['check'], { EDGE_HOME: home });
  t.match(after, { code: 0, stdout: '', stderr: /1 sound snapshot, .* all is well\n$/ });
  const shown = await runToEnd(t, ['log', '--home', home]);
  t.match(shown, { code: 0, stderr: '', stdout: /"name":"admin"[^\n]*"second".*\n.*"seal"\}\n$/s });
  damageFrame(home);
  const damaged = digestOf(home);
  t.not(damaged, before);
  t.match(await runHere(['check', '--home', home]), { code: 1, stdout: /0001\.log at offset/ });
  t.match(await runHere(['log', '--home', home]), { code: 1, stderr: /is damaged at offset/ });
  t.equal(digestOf(home), damaged, 'nothing was changed');
});
