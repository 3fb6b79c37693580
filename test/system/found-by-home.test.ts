// `export`, `apply` and `snapshot` ask the controller that runs on the home, wherever it listens,
// and say what they looked for where they find none.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { t } from 'tap';
import { runHere } from './command-here.ts';
import { adminPassword, makeHome, roomOf, runToEnd, serve } from './process.ts';

const environment = { EDGE_ADMIN_PASSWORD: adminPassword };

t.test('the home is enough to find a controller on a port of its own', async (t) => {
  const home = makeHome(t);
  const { process: running, url } = await serve(t, home, ['--advertise', 'edge.example:0']);
  const exported = await runToEnd(t, ['export', '--home', home], environment);
  t.match(exported, { code: 0, stdout: /^version: 1\n/, stderr: '' });
  const file = join(roomOf(t), 'network.yaml');
  writeFileSync(file, exported.stdout);
  const apply = ['apply', file, '--dry-run'];
  const applied = await runToEnd(t, apply, { ...environment, EDGE_HOME: home });
  t.match(applied, { code: 0, stdout: /as they should be\n$/ });
  const snapshot = await runHere(['snapshot', '--home', home], environment);
  t.match(snapshot, { code: 0, stdout: /^snapshot / });
  const elsewhere = ['export', '--home', home, '--listen', '127.0.0.1:1'];
  t.equal((await runHere(elsewhere, environment)).code, 0, 'the home knows it better');
  const { port } = new URL(url);
  t.match(await runHere(['status', '--home', home]), {
    stdout: `address   https://edge.example:${port}\n`,
  });
  t.equal((await running.stop()).code, 0);
});

t.test('where nothing runs, the message names the home and what named it', async (t) => {
  const home = makeHome(t);
  t.equal((await runHere(['init', '--home', home], environment)).code, 0);
  const file = join(roomOf(t), 'network.yaml');
  writeFileSync(file, 'services: []\n');
  const sentence = (source: string, rest: string) =>
    new RegExp(`^edge-control: (.* )?No process uses the home ${home} \\(${source}\\)${rest}\n$`);
  const tried =
    ', so the address is that of the settings: name another home by --home, or an address by --url\\.';
  for (const words of [['export'], ['apply', file]]) {
    const listen = ['--listen', '127.0.0.1:1'];
    const flagged = await runHere([...words, '--home', home, ...listen], environment);
    t.match(flagged, { code: 2, stdout: '', stderr: sentence('--home', tried) });
    t.match(flagged.stderr, 'https://127.0.0.1:1 cannot be asked: connect ECONNREFUSED');
    const named = { ...environment, EDGE_HOME: home, EDGE_LISTEN: '127.0.0.1:0' };
    const unknown = await runHere(words, named);
    t.match(unknown, { code: 2, stdout: '', stderr: sentence('EDGE_HOME', ': name another .*') });
  }
});

t.test('a home that was never one', async (t) => {
  const home = makeHome(t);
  const none = /pki\/ca\.pem is not there: no controller has made the home .* \(--home\)\. /;
  t.match(await runHere(['export', '--home', home], environment), { code: 2, stderr: none });
  const elsewhere = ['export', '--home', home, '--url', 'https://edge.test:1280'];
  t.match(await runHere(elsewhere, environment), {
    code: 2,
    stderr: / Name the file with the CAs of https:\/\/edge\.test:1280 by --ca\.\n$/,
  });
  const snapshot = await runHere(['snapshot', '--home', home], environment);
  t.match(snapshot, { code: 2, stderr: / \(--home\) is no home of a controller: it has no man/ });
});
