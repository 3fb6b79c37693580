// Completion of what follows a command of the network: in this process, and by bash.

import { execFile } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { t } from 'tap';
import { adminPassword, controller, roomOf, runToEnd } from '../../system/process.ts';
import { completed, Person, stage } from './person.ts';

const { serving, run } = await stage(t);
const names = ['clerk', 'clark', 'north hall printer host', '-dash', 'name:x', "it's", '語'];
for (const name of names) {
  const said = await run('create', 'identity', '--roles', 'staff', '--', name);
  if (said.code !== 0) throw new Error(said.err);
}
await run('create', 'svc', 'printer');
await run('create', 'er', 'edge-1');

const person = new Person(t);
const ca = join(serving.home, 'pki/ca.pem');
const login = ['login', serving.url, '--user', 'admin', '--ca', ca, '--name', 'ctrl'];
await person.types(login, { answers: [adminPassword] });
const state = (who: Person) => join(who.home, '.local/state/edge-control');
const keptFile = join(state(person), 'names.json');
const offered = (...words: string[]) => completed(person, words);

t.test('kinds, fields, their values, contexts and names', async (t) => {
  const cases: readonly (readonly [readonly string[], readonly string[]])[] = [
    [
      ['list', 'ident'],
      ['identities', 'identity-types'],
    ],
    [['create', 'ident'], ['identity']],
    [['delete', 'identity-t'], []],
    [['re-enroll', 'e'], ['edge-router']],
    [['re-enroll', 'er', 'e'], ['edge-1']],
    [['log-level', 'd'], ['debug']],
    [
      ['create', 'identity', 'x', '--type', 'De'],
      ['Device', 'Default'],
    ],
    [['update', 'identity', 'clerk', '--auth-policy', ''], ['Default']],
    [['create', 'svc', 'x', '--configs', 'a,'], []],
    [
      ['get', 'identity', 'cl'],
      ['clark', 'clerk'],
    ],
    [['get', 'id', 'north'], ['north hall printer host']],
    [
      ['get', 'identity', 'name:'],
      ['name:-dash', 'name:name:x'],
    ],
    [['delete', 'identity', 'clerk', 'cl'], ['clark']],
    [['explain', 'clerk', ''], ['printer']],
    [
      ['can', 'clerk', ''],
      ['dial', 'bind'],
    ],
    [['can', 'clerk', 'dial', 'p'], ['printer']],
    [['enroll', 'e'], ['edge-1']],
    [['use', ''], ['ctrl']],
    [['contexts', ''], ['delete']],
    [['contexts', 'delete', ''], ['ctrl']],
    [['whoami', '--context', 'c'], ['ctrl']],
    [['list', 'svc', '-o', 'j'], ['json']],
    [['list', 'svc', '--output', 'w'], ['wide']],
    [['get', '--context', 'ctrl', 'identity', 'clar'], ['clark']],
    [['create', 'identity', ''], []],
    [['get', 'nonsense', ''], []],
    [['get', 'identity', 'clerk', ''], []],
    [['list', 'svc', '--limit', ''], []],
    [['nonsense', ''], []],
    [['list'], []],
    [[], []],
  ];
  for (const [words, expected] of cases) {
    t.strictSame(await offered(...words), expected, words.join(' '));
  }
  t.strictSame(await offered('create', 'identity', 'x', '--is-'), [
    '--is-admin The field isAdmin.',
  ]);
  t.strictSame(await offered('update', 'identity', 'x', '--typ'), [], 'a field of creations');
  t.strictSame(await offered('list', 'svc', '--rol'), [
    '--role Only entities with this role attribute.',
  ]);
});

t.test('names are kept for a minute, for their owner alone', async (t) => {
  t.equal(statSync(keptFile).mode & 0o777, 0o600);
  t.equal(statSync(state(person)).mode & 0o777, 0o700);
  await run('create', 'identity', 'clement');
  t.strictSame(await offered('get', 'identity', 'cle'), ['clerk'], 'kept ones');
  const lists = JSON.parse(readFileSync(keptFile, 'utf8')) as { readonly readAt: number }[];
  const older = lists.map((list) => ({ ...list, readAt: list.readAt - 61_000 }));
  writeFileSync(keptFile, JSON.stringify(older));
  t.strictSame(await offered('get', 'identity', 'cle'), ['clement', 'clerk']);
  for (const text of ['{', '[1,{"key":"x"}]', '{"a":1}']) {
    writeFileSync(keptFile, text);
    t.strictSame(await offered('get', 'identity', 'cle'), ['clement', 'clerk'], text);
  }
  chmodSync(keptFile, 0o644);
  t.strictSame(await offered('get', 'identity', 'cle'), ['clement', 'clerk'], 'not read');
  t.equal(statSync(keptFile).mode & 0o777, 0o600, 'and written anew');
});

t.test('more names than are kept are asked for by their beginning', async (t) => {
  const file = join(roomOf(t), 'many.json');
  const services = Array.from({ length: 510 }, (_, index) => ({ name: `s ${index}` }));
  writeFileSync(file, JSON.stringify({ services: [...services, { name: 'zebra' }] }));
  const said = await run('apply', file, '--yes');
  t.equal(said.code, 0, said.err);
  writeFileSync(keptFile, '[]');
  t.strictSame(await offered('get', 'svc', 'zeb'), ['zebra']);
  const [list] = JSON.parse(readFileSync(keptFile, 'utf8')) as { readonly names: string[] }[];
  t.equal(list?.names.length, 500);
  t.strictSame(await offered('get', 'svc', 'zeb'), ['zebra']);
});

t.test('it never logs in, and a token of a file outlives it', async (t) => {
  const stranger = new Person(t);
  t.strictSame(await completed(stranger, ['get', 'identity', '']), []);
  const next = { environment: { EDGE_HOME: serving.home, EDGE_ADMIN_PASSWORD: adminPassword } };
  t.strictSame(await completed(stranger, ['get', 'identity', ''], next), []);
  t.notOk(existsSync(join(state(stranger), 'sessions.json')), 'no session was created');
  const saved = JSON.parse(readFileSync(join(state(person), 'sessions.json'), 'utf8')) as {
    readonly sessions: Readonly<Record<string, { readonly token: string }>>;
  };
  const token = join(roomOf(t), 'token');
  writeFileSync(token, String(saved.sessions['context:ctrl']?.token));
  const environment = { EDGE_URL: serving.url, EDGE_CA: ca, EDGE_TOKEN_FILE: token };
  for (const time of ['first', 'second']) {
    const found = await completed(new Person(t, environment), ['get', 'identity', 'clar']);
    t.strictSame(found, ['clark'], time);
    const listed = await new Person(t, environment).types(['list', 'er', '-o', 'name']);
    t.match(listed, { code: 0, out: 'edge-router/edge-1\n' }, time);
  }
});

t.test(
  'files that cannot be used, and a controller that does not answer, offer nothing',
  async (t) => {
    const broken = new Person(t);
    mkdirSync(join(broken.home, '.config/edge-control'), { recursive: true });
    writeFileSync(join(broken.home, '.config/edge-control/contexts.json'), '{', { mode: 0o600 });
    t.strictSame(await completed(broken, ['use', '']), []);
    const silent = createServer().listen(0, '127.0.0.1');
    t.teardown(() => silent.close());
    await new Promise((resolve) => silent.once('listening', resolve));
    const address = silent.address();
    const port = typeof address === 'object' ? address?.port : 0;
    const token = join(roomOf(t), 'any');
    writeFileSync(token, 'token');
    for (const url of [`https://127.0.0.1:${port}`, 'https://127.0.0.1:1']) {
      const environment = { EDGE_URL: url, EDGE_CA: ca, EDGE_TOKEN_FILE: token };
      const words = ['get', 'svc', ''];
      t.strictSame(await completed(new Person(t, environment), words, {}, 300), [], url);
    }
  },
);

const execute = promisify(execFile);

t.test('bash quotes names, and completes inside of quotes', async (t) => {
  const { stdout: script } = await runToEnd(t, ['completion', 'bash']);
  const cases = [
    ['get identity north', 'north\\ hall\\ printer\\ host'],
    ["get identity 'north hall", 'north hall printer host'],
    ['get identity it', "it\\'s"],
    ['list svc --output = js', 'json'],
    ['create identity x --type =', 'User Device Service Router Default'],
    ['create identity x --is-', '--is-admin'],
    ['list edge-router-', 'edge-router-policies'],
  ] as const;
  const file = join(roomOf(t), 'script');
  const tried = cases.map(([line]) => {
    const words = line.match(/'[^']*|\S+/g) ?? [];
    const quoted = ['edge-control', ...words].map((word) => `"${word}"`).join(' ');
    return `COMP_WORDS=(${quoted}); COMP_CWORD=${words.length}; _edge_control; echo "\${COMPREPLY[*]}"`;
  });
  const program = `edge-control() { ${controller.map((word) => `'${word}'`).join(' ')} "$@"; }`;
  writeFileSync(file, [program, script, ...tried].join('\n'));
  // Names have been kept by now: the time of the controller is not what is tested here.
  await offered('get', 'identity', '');
  const environment = { ...process.env, ...person.environment };
  const said = await execute('bash', ['--noprofile', '--norc', file], { env: environment });
  t.equal(said.stderr, '');
  t.strictSame(
    said.stdout.trimEnd().split('\n'),
    cases.map(([, expected]) => expected),
  );
});

t.test('its process loads neither the commands nor the controller', async (t) => {
  const hooks = `import module from 'node:module';
const load = (url, context, next) => { console.error(url); return next(url, context); };
module.registerHooks({ load });`;
  const root = join(import.meta.dirname, '../../..');
  const words = [
    '--import',
    `data:text/javascript,${hooks}`,
    'src/main.ts',
    '__complete',
    'use',
    '',
  ];
  const environment = { ...process.env, ...person.environment };
  const said = await execute(controller[0], words, { cwd: root, env: environment });
  t.equal(said.stdout, 'ctrl\n');
  t.match(said.stderr, /completed-words\.ts/);
  const foreign = /node_modules|src.(assembly|http|resources|records|settings.(?!setting-type))/;
  t.strictSame(
    said.stderr.split('\n').filter((url) => foreign.test(url)),
    [],
  );
});
