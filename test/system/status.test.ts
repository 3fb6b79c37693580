// `edge-control status` and `stop` against real processes, and the lines of a start and a stop.

import { X509Certificate } from 'node:crypto';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { t } from 'tap';
import { logLines, makeHome, runToEnd, serve } from './process.ts';

t.test('a controller that runs, is stopped, and is killed', async (t) => {
  const home = makeHome(t);
  const first = await serve(t, home, ['--tls-workers', '1']);
  const { pid } = first.process.child;
  const running = await runToEnd(t, ['status', '--home', home]);
  t.equal(running.code, 0);
  t.match(running.stdout, new RegExp(`^process {3}${pid}, since 20\\d\\d-.*Z$`, 'm'));
  t.ok(running.stdout.includes(`address   ${first.readyUrl}\n`));
  t.match(running.stdout, /^health {4}healthy, ready$/m);
  const { fingerprint256 } = new X509Certificate(first.ca);
  const groups = fingerprint256.replaceAll(':', '').toLowerCase().match(/.{4}/g) ?? [];
  t.ok(running.stdout.includes(`\nCA        SHA256:${groups.join(' ')}\n`));
  const started = logLines(first.process.stderr).find(({ message }) => message === 'first start');
  t.same(started?.['fingerprints'], [`SHA256:${groups.join(' ')}`]);

  const stop = await runToEnd(t, ['stop', '--home', home]);
  t.match(stop, { code: 0, stdout: `stopping process ${pid}\nstopped\n`, stderr: '' });
  const { code, stderr } = await first.process.ended;
  t.equal(code, 0);
  const messages = logLines(stderr).map(({ message }) => message);
  t.same(messages.slice(-3), ['stopping', 'snapshot written', 'stopped']);

  t.match(await runToEnd(t, ['status', '--home', home]), { code: 3, stdout: /^not running: / });
  t.match(await runToEnd(t, ['stop', '--home', home]), { code: 0, stdout: /^not running: / });
  const json = await runToEnd(t, ['status', '--home', home, '-o', 'json']);
  t.match({ ...json, stdout: JSON.parse(json.stdout) }, { code: 3, stdout: { status: 'stopped' } });
  t.match(await runToEnd(t, ['status', '--home', home, '-o', 'pid']), {
    code: 3,
    stdout: '',
    stderr: /^not running: /,
  });

  const second = await serve(t, home, ['--tls-workers', '1']);
  await second.process.kill();
  t.ok(existsSync(join(home, 'lock')));
  t.match(await runToEnd(t, ['status', '--home', home]), {
    code: 3,
    stdout: /^not running: .*The lock of a process that was killed is left/,
  });
  t.match(await runToEnd(t, ['stop', '--home', home]), { code: 0, stdout: /^not running: / });
});

t.test('what is no home', async (t) => {
  const directory = t.testdir({ empty: {} });
  writeFileSync(join(directory, 'file'), '');
  for (const name of ['none', 'empty', 'file']) {
    for (const command of ['status', 'stop']) {
      const { code, stdout, stderr } = await runToEnd(t, [
        command,
        '--home',
        join(directory, name),
      ]);
      t.equal(code, 2, `${command} of ${name}`);
      t.equal(stdout, '');
      t.match(stderr, /^edge-control: [^\n]+\n$/);
    }
  }
});
