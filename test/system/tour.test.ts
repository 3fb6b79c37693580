// The tour of the README does what it says: its lines in a real shell, against a real controller
// started by `npm start`, killed and started again.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { freePort } from './free-ports.ts';
import { Npm, root, withoutTools } from './npm-start.ts';
import { promiseOf, readTour, Shell } from './tour.ts';

const readme = readFileSync(join(root, 'README.md'), 'utf8');

t.test('Ctrl-C ends npm start well', { skip: withoutTools() }, async (t) => {
  const home = join(t.testdir({}), 'home');
  const controller = new Npm(t, ['--home', home, '--listen', '127.0.0.1:0']);
  await controller.ready;
  t.equal(await controller.interrupt(), 0);
  const messages = controller.output.matchAll(/"message":"(stopp[^"]*|snapshot written)"/g);
  t.same(
    [...messages].map(([, message]) => message),
    ['stopping', 'snapshot written', 'stopped'],
  );
});

t.test('the tour of the README, twice', { skip: withoutTools() }, async (t) => {
  const directory = t.testdir({});
  const home = join(directory, 'home');
  const lines = readTour(readme).flatMap((step) => step.lines);
  t.ok(lines.length <= 40, 'it is short');
  const address = `127.0.0.1:${await freePort()}`;
  for (const walk of ['first', 'second']) {
    const controller = new Npm(t, ['--home', home, '--listen', address, '--ctrl-listen', 'none']);
    await controller.ready;
    const shell = new Shell(root);
    t.teardown(() => shell.end());
    // A person's shell knows aliases; the home is another one than the reader's.
    await shell.run('shopt -s expand_aliases');
    await shell.run(`export EDGE_HOME='${home}' EDGE_LISTEN=${address} EDGE_CTRL_LISTEN=none`);
    // Compiled code of earlier commands, as each one is a process of its own.
    await shell.run(`export NODE_COMPILE_CACHE='${join(root, '.tap/compile-cache')}'`);
    await shell.run(`export XDG_CONFIG_HOME='${directory}/c' XDG_STATE_HOME='${directory}/s'`);
    for (const line of lines) {
      const typed = line.replace(/\/tmp\/(\S+)/, `'${directory}/$1'`);
      const { output, status } = await shell.run(typed);
      t.equal(status, 0, `${walk} walk: ${line}`, { output });
      const promise = promiseOf(line);
      if (promise !== undefined) t.match(output, promise, line);
    }
    await controller.ended;
    shell.end();
  }
});
