// Log lines: their form, their levels, and what must never be in them.

import { t } from 'tap';
import { createLog, type LogLevel } from '../../src/observe/logs.ts';

const clock = { now: () => Date.UTC(2026, 7, 22, 9, 3, 3, 123) };

function lines(level: LogLevel = 'debug', readable = false) {
  const written: string[] = [];
  const write = (line: string) => written.push(line);
  return { written, ...createLog({ level, clock, readable, write: (line) => void write(line) }) };
}

t.test('one JSON object per line', async (t) => {
  const { log, written } = lines();
  log.info({ requestId: 'r1', ms: 4 }, 'served');
  log.child({ part: 'pki' }).warn('no key');
  t.same(
    written.map((line) => JSON.parse(line)),
    [
      {
        level: 'info',
        time: '2026-08-22T09:03:03.123Z',
        requestId: 'r1',
        ms: 4,
        message: 'served',
      },
      { level: 'warn', time: '2026-08-22T09:03:03.123Z', part: 'pki', message: 'no key' },
    ],
  );
  t.ok(written.every((line) => line.endsWith('\n')));
});

t.test('levels', async (t) => {
  const { log, written } = lines('error');
  log.debug('a');
  log.info('b');
  log.warn('c');
  log.error('d');
  log.fatal('e');
  t.same(
    written.map((line) => JSON.parse(line).message),
    ['d', 'e'],
  );
});

t.test('the level changes while the log is in use, for its children too', async (t) => {
  const { log, written } = lines('warn');
  const child = log.child({ part: 'pki' });
  const grandchild = child.child({ more: 1 });
  const say = (message: string) => {
    for (const one of [log, child, grandchild]) one.debug(message);
    log.warn(message);
  };
  say('a');
  grandchild.level = 'debug';
  t.equal(log.level, 'debug');
  say('b');
  log.level = 'error';
  t.equal(child.level, 'error');
  say('c');
  log.fatal('d');
  t.same(
    written.map((line) => JSON.parse(line).message),
    ['a', 'b', 'b', 'b', 'b', 'd'],
  );
});

t.test('secrets are masked wherever they stand', async (t) => {
  const { log, written } = lines();
  const secret = 'hunter22';
  log.info({ password: secret, body: { rows: [{ token: secret }] } }, 'a');
  log.info({ headers: { 'zt-session': secret, Authorization: secret, accept: '*/*' } }, 'b');
  log.child({ jwt: secret }).info('c');
  log.info({ headers: { 'mfa-validation-code': secret }, recoveryCodes: [secret] }, 'codes');
  log.info({ code: 'ENOENT' }, 'what an error is called is none');
  log.info({ a: { b: { c: { d: { token: secret } } } } }, 'too deep');
  t.notMatch(written.join(''), /hunter22/);
  t.match(written.join(''), /"accept":"\*\/\*"/);
  t.match(written.join(''), /"code":"ENOENT"/);
  log.info({ token: null, minPasswordLength: 5 }, 'd');
  t.match(written.at(-1), /"token":null,"minPasswordLength":5/);
});

t.test('exceptions keep their stack', async (t) => {
  const json = lines();
  json.log.error({ err: new Error('broken') }, 'failed');
  t.match(JSON.parse(json.written[0] ?? '').err, { message: 'broken', stack: /logs\.test/ });
  const readable = lines('debug', true);
  readable.log.error({ err: new Error('broken') }, 'failed');
  t.match(readable.written[0], /^09:03:03\.123 ERROR failed\n {4}Error: broken\n {4}at .*\n$/s);
});

t.test('readable lines', async (t) => {
  const { log, written } = lines('info', true);
  log.info({ url: 'https://localhost:1280', names: ['a b'], text: 'two words' }, 'serving');
  log.warn('escape \u001b[31m and\nline');
  t.same(written, [
    '09:03:03.123 INFO  serving  url=https://localhost:1280  names=["a b"]  text="two words"\n',
    '09:03:03.123 WARN  escape \\u001b[31m and\\u000aline\n',
  ]);
});
