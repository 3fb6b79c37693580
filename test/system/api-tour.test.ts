// The tour of the API does what it says: its lines in a real shell, against a real controller that
// `npm start` started, killed and started again.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { freePort } from './free-ports.ts';
import { Npm, root, withoutTools } from './npm-start.ts';
import { privateKeysIn, secretsIn } from './secrets.ts';
import { missingFrom, readTour, Shell, startLine, substituted, type TourStep } from './tour.ts';

const apiTour = readFileSync(join(root, 'docs/api-tour.md'), 'utf8');

t.test('expected lines must come in their order', async (t) => {
  t.equal(missingFrom('{"a":1,"b":2}', ['"a"', '2']), undefined);
  t.equal(missingFrom('{"a":1,"b":2}', ['2', '"a"']), '"a"');
});

t.test('a tour that sets no home is refused', async (t) => {
  const values = { home: '/h', url: 'u' };
  t.throws(() => substituted([{ lines: ['url=x'], promised: [] }], values), /home/);
  t.throws(() => readTour('# Nothing'), /no tour/);
});

/** Begins the line that ends the first controller. */
const killWord = 'kill -9';

t.test('calls of the tour that fail say so', { skip: withoutTools() }, async (t) => {
  const shell = new Shell(t.testdir({}));
  t.teardown(() => shell.end());
  const lines = readTour(apiTour).flatMap((step) => step.lines);
  for (const name of ['indented', 'shown', 'answer', 'call', 'value']) {
    t.equal(
      (await shell.run(lines.find((line) => line.startsWith(`${name}()`)) ?? 'false')).status,
      0,
    );
  }
  t.match(await shell.run(`answer '{"data":{}}200'`), { status: 0, output: '{"data":{}}\n' });
  const refused = await shell.run(`answer '{"error":{}}401'`);
  t.match(refused, { status: 1, output: /{"error":{}}\nthe call failed with status 401\n/ });
  t.match(await shell.run('answer 000'), {
    status: 1,
    output: 'the call failed with status 000\n',
  });
  const unreachable = await shell.run('home=none; call https://127.0.0.1:1/');
  t.match(unreachable, { status: 1, output: /the call failed with status 000/ });
  const missing = await shell.run(`echo '{"data":{}}' | value id`);
  t.match(missing, { status: 1, output: 'the answer has no id\n' });
  t.match(await shell.run(`echo '{"id":"x y"}' | value id`), { status: 0, output: 'x y\n' });
});

t.test('the tour of the API', { skip: withoutTools() }, async (t) => {
  const home = join(t.testdir({}), 'home');
  const port = await freePort();
  const steps = substituted(readTour(apiTour), { home, url: `https://localhost:${port}` });
  const shell = new Shell(root);
  t.teardown(() => shell.end());
  const outputs: string[] = [];
  const starts: Npm[] = [];
  const secrets = new Set<string>();
  for (const [index, step] of steps.entries()) {
    if (step.lines[0]?.startsWith(killWord) === true) {
      // Somebody may begin again in the middle, on the same home.
      outputs.length = 0;
      for (const earlier of steps.slice(0, index)) {
        if (earlier.lines[0] !== startLine) outputs.push(await walk(t, shell, earlier));
      }
    }
    if (step.lines[0] === startLine) {
      // The one before was killed; its end must be over, as it is for somebody who types.
      await starts.at(-1)?.ended;
      const controller = new Npm(t, ['--home', home, '--listen', `127.0.0.1:${port}`]);
      starts.push(controller);
      await controller.ready;
      for (const secret of secretsOf(home)) secrets.add(secret);
      continue;
    }
    outputs.push(await walk(t, shell, step));
  }
  await starts.at(-1)?.ended;
  t.equal(starts.at(-1)?.exitCode, 0, 'npm start says that it ended well');
  t.notOk(existsSync(home), 'nothing is left');

  const { output: tokens } = await shell.run(
    'echo "$token" "$clerk_token" "$guest_token" "$visitor_token" "$secret"',
  );
  const shown = outputs.flatMap((text) => text.match(/"eyJ[^"]+"/g) ?? []);
  const said = [...tokens.trim().split(' '), ...shown.map((jwt) => jwt.slice(1, -1))];
  t.ok(said.length > 2, 'tokens and JWTs were shown');
  const known = [...secrets, ...said, 'correct horse', 'battery staple'];
  const log = starts.map(({ output }) => output).join('');
  t.same(secretsIn(log, known), [], `none of ${known.length} secrets in the log`);

  const sessions = outputs.flatMap((text) => /"\.\/sessions\/(\w+)"/.exec(text)?.[1] ?? []);
  const again = sessions.filter((id) => id === sessions[0]);
  t.equal(again.length, 2, 'the first session was shown when made and after the kill');
});

/** What the first start makes up: the keys, and the password of the administrator. */
function secretsOf(home: string): string[] {
  return [...privateKeysIn(home), readFileSync(join(home, 'admin-password'), 'utf8').trim()];
}

/** Pastes the lines of one box. @returns all they said */
async function walk(t: Test, shell: Shell, { lines, promised }: TourStep): Promise<string> {
  let output = '';
  for (const line of lines) {
    const said = await shell.run(line);
    output += said.output;
    t.equal(said.status, 0, line, { output: said.output });
  }
  const missing = missingFrom(output, promised);
  t.equal(missing, undefined, `what ${lines.at(-1)} answers is as promised`, { output });
  return output;
}
