// Secrets from a terminal, which shows nothing of them, and from a pipe.

import { PassThrough } from 'node:stream';
import t from 'tap';
import { answerInput, secretInput } from '../../src/platform/terminal.ts';

/** A standard input with what a terminal adds. */
class FakeInput extends PassThrough {
  readonly modes: boolean[] = [];

  setRawMode(mode: boolean): this {
    this.modes.push(mode);
    return this;
  }
}

function asked(isTTY: boolean) {
  const input = new FakeInput();
  let shown = '';
  const secrets = secretInput(
    isTTY,
    () => input as never,
    (text) => {
      shown += text;
    },
  );
  return { input, secrets, shown: () => shown };
}

t.test('typed: nothing of it is shown, and mistakes are corrected', async (t) => {
  const { input, secrets, shown } = asked(true);
  const first = secrets.ask('New: ');
  for (const keys of ['pa', 'x\u007f', 'ßword', '\r']) input.write(keys);
  t.equal(await first, 'paßword');
  const second = secrets.ask('Once more: ');
  input.write('again\n');
  t.equal(await second, 'again');
  t.equal(shown(), 'New: \nOnce more: \n');
  t.same(input.modes, [true, false, true, false]);
});

t.test('typed: Ctrl-C and a closed terminal end it', async (t) => {
  for (const end of [
    (input: FakeInput) => void input.write('abc\u0003'),
    (input: FakeInput) => void input.end('abc'),
    (input: FakeInput) => void input.write('a'.repeat(5000)),
  ]) {
    const { input, secrets } = asked(true);
    const given = secrets.ask('New: ');
    end(input);
    await t.rejects(given, /interrupted|nothing was typed|too long/);
    t.same(input.modes, [true, false], 'the terminal echoes again');
  }
});

t.test('piped: all of it, without the last line break', async (t) => {
  for (const [text, expected] of [
    ['secret\n', 'secret'],
    ['secret\r\n', 'secret'],
    ['se cret', 'se cret'],
    ['', ''],
  ] as const) {
    const { input, secrets } = asked(false);
    const given = secrets.ask('New: ');
    input.end(text);
    t.equal(await given, expected);
  }
  const { input, secrets } = asked(false);
  const given = secrets.ask('New: ');
  input.end('a'.repeat(5000));
  await t.rejects(given, /too long/);
});

t.test('an answer is left to the terminal, which shows it', async (t) => {
  const input = new FakeInput();
  let shown = '';
  const answers = answerInput(
    true,
    () => input as never,
    (text) => {
      shown += text;
    },
  );
  const given = answers.ask('Sure? ');
  input.write('y\n');
  t.equal(await given, 'y');
  t.equal(shown, 'Sure? ');
  t.same(input.modes, [], 'no raw mode');
  t.ok(input.isPaused());
  const missing = answers.ask('Sure? ');
  input.end();
  await t.rejects(missing, /nothing was typed/);
});
