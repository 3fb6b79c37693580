// `watch`: from the feed, and from a list where the caller may not read it or it says nothing.

import { t } from 'tap';
import { connected, enroll } from '../../routers/tls-router.ts';
import { connect, logIn } from '../../system/client.ts';
import { adminPassword } from '../../system/process.ts';
import { readerOf, type Seat, stage } from './person.ts';

const { serving, person, run } = await stage(t);

/** A pipe of a person who does not wait between two looks. */
const seat: Seat = { wait: async () => await new Promise((resolve) => setImmediate(resolve)) };

const untimed = (text: string) => text.replaceAll(/^\d\d:\d\d:\d\d/gm, 'HH:MM:SS');

t.test('entities from the feed', async (t) => {
  const { context, ended } = person.begins(['watch', 'identities']);
  await context.says(/^TIME +WHAT +NAME +CHANGE\n/);
  await run('create', 'identity', 'clerk', '--roles', 'staff');
  await run('create', 'svc', 'wiki');
  await run('update', 'identity', 'clerk', '--roles', '+night');
  await run('delete', 'identity', 'clerk', '--yes');
  await context.says(/deleted {2}clerk/);
  context.signal();
  const said = await ended;
  t.match(said, { code: 130, err: '' });
  // Logins of the person change the administrator, too.
  const lines = untimed(said.out)
    .split('\n')
    .filter((line) => line.includes('clerk'));
  t.same(
    lines.map((line) => line.replaceAll(/ +/g, ' ')),
    [
      'HH:MM:SS created clerk',
      'HH:MM:SS updated clerk roleAttributes: staff -> night,staff',
      'HH:MM:SS deleted clerk',
    ],
  );
});

t.test('one of them, as JSON', async (t) => {
  await run('create', 'svc', 'printer');
  const { context, ended } = person.begins(['watch', 'svc', 'printer', '-o', 'json']);
  await context.says('"present"');
  await run('create', 'svc', 'other');
  await run('update', 'svc', 'printer', '--terminator-strategy', 'random');
  await context.says('"updated"');
  context.signal();
  const { out } = await ended;
  const [present, updated, ...others] = out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  t.match(present, { change: 'present', kind: 'service', name: 'printer' });
  t.match(updated, {
    change: 'updated',
    by: 'admin',
    fields: { terminatorStrategy: { before: 'smartrouting', after: 'random' } },
  });
  t.same(others, []);
});

t.test('a caller who may not read the feed sees the same from the list', async (t) => {
  const reader = await readerOf(t, { serving, person, run }, 'service.read');
  const { context, ended } = reader.begins(['watch', 'services'], seat);
  await context.says('no right to read the log: looking at the list every 2 s\n', 'stderr');
  await context.says('TIME');
  await run('create', 'svc', 'scanner');
  await context.says(/created {2}scanner/);
  await run('update', 'svc', 'scanner', '--roles', 'scanners');
  await context.says(/updated {2}scanner +roles: \(none\) -> scanners/);
  await run('delete', 'svc', 'scanner', '--yes');
  await context.says(/deleted {2}scanner/);
  context.signal();
  t.match(await ended, { code: 130 });
  t.match(await reader.types(['watch', 'identities'], seat), { code: 5, out: '' });
});

t.test('a router comes online and goes', async (t) => {
  const { context, ended } = person.begins(['watch', 'er', 'edge-1'], seat);
  await context.says('TIME');
  const client = connect(t, { url: serving.url, ca: serving.ca });
  const admin = await logIn(client, 'admin', adminPassword);
  const router = await enroll(admin, 'edge-1');
  await context.says(/created {2}edge-1 +state not enrolled/);
  await context.says(/updated {2}edge-1 +state: not enrolled -> offline/);
  const { port } = serving;
  const { twin } = await connected(router, port);
  await context.says(/updated {2}edge-1 +state: offline -> online/);
  twin.close();
  await context.says(/updated {2}edge-1 +state: online -> offline/);
  context.signal();
  const { code, out } = await ended;
  t.equal(code, 130);
  t.notMatch(out, /eyJ/, 'no JWT');
});

t.test('terminators say what they belong to', async (t) => {
  const { context, ended } = person.begins(['watch', 'terminator', 'printer'], seat);
  await context.says('TIME');
  const place = ['--binding', 'edge', '--address', 'a', '--router', 'edge-1'];
  t.match(await run('create', 'terminator', '--service', 'other', ...place), { code: 0 });
  t.match(await run('create', 'terminator', '--service', 'printer', ...place), { code: 0 });
  await context.says(/created .*service printer, router edge-1, binding edge/);
  context.signal();
  t.notMatch((await ended).out, 'other');
});

t.test('what is wrong is refused before anything is sent', async (t) => {
  t.match(await run('watch', 'nonsense'), { code: 2, out: '', err: /there is no kind "nonsense"/ });
  t.match(await run('watch', 'er', ''), { code: 2, err: /must not be empty/ });
  t.match(await run('watch', 'er', '-o', 'yaml'), { code: 2, err: /must be one of table, json/ });
});
