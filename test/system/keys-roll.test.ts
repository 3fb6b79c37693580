// `edge-control keys roll` against a real process.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { t } from 'tap';
import { runHere } from './command-here.ts';
import { makeHome, serve } from './process.ts';

t.test('a key is announced by the running controller alone', async (t) => {
  const home = makeHome(t);
  const words = ['keys', 'roll', '--home', home];
  t.match(await runHere(words), { code: 2, stderr: /is no home of a controller/ });
  const serving = await serve(t, home);
  t.notOk(existsSync(join(home, 'pki/token.key')), 'keys of tokens are in the log');

  const rolled = await runHere(words);
  t.match(rolled, { code: 0, stderr: '' });
  const said =
    /^Key (\S+) was announced and signs from \S+Z on\. From then on, the former key only/;
  const [, kid = ''] = said.exec(rolled.stdout) ?? [];
  t.match(kid, /^[\w-]{43}$/);
  const again = await runHere([...words, '--end-sessions']);
  t.match(again, { code: 1, stdout: '', stderr: new RegExp(`^edge-control: The key ${kid} was`) });

  const { stderr } = await serving.process.stop();
  t.match(stderr, /a token key was announced/);
  t.match(await runHere(words), {
    code: 2,
    stderr: /^edge-control: No controller has answered on/,
  });
  const files = readdirSync(join(home, 'log')).map((name) => join(home, 'log', name));
  // The beginning of every EC P-256 key in PKCS#8 and base64.
  for (const file of files) t.notMatch(readFileSync(file, 'latin1'), 'MIGHAgEAMBMGByqGSM49AgEG');
});
