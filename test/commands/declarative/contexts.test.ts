// `export` and `apply` use contexts and saved sessions, and ask for a second factor.

import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { generateSync } from 'otplib';
import { t } from 'tap';
import { Api, connect, logIn } from '../../system/client.ts';
import { adminPassword, roomOf } from '../../system/process.ts';
import { Person, stage } from '../network/person.ts';

const { serving } = await stage(t);
const ca = join(serving.home, 'pki/ca.pem');
const login = ['login', serving.url, '--user', 'admin', '--ca', ca, '--name', 'hall'];

/** Sessions of a person by their keys. */
function sessionsOf({ home }: Person): Record<string, { readonly token: string }> {
  const file = join(home, '.local/state/edge-control/sessions.json');
  const { sessions } = JSON.parse(readFileSync(file, 'utf8')) as {
    readonly sessions: Record<string, { readonly token: string }>;
  };
  return sessions;
}

t.test('the current context is asked, by its session', async (t) => {
  const person = new Person(t);
  t.match(await person.types(['export']), { code: 2, err: /pki\/ca\.pem is not there/ });
  t.match(await person.types(login, { answers: [adminPassword] }), { code: 0 });
  const before = sessionsOf(person);
  const exported = await person.types(['export']);
  t.match(exported, { code: 0, out: /^version: 1\n/, err: '' });
  t.same(sessionsOf(person), before, 'nobody has logged in');
  const file = join(roomOf(t), 'network.yaml');
  writeFileSync(file, 'services: [{ name: by-context }]\n');
  for (const words of [
    ['--context', 'hall'],
    ['--url', serving.url],
  ]) {
    t.match(await person.types(['apply', file, '--dry-run', ...words]), { code: 3 });
  }
  const environment = { EDGE_CONTEXT: 'hall' };
  t.match(await person.types(['apply', file, '--yes'], { environment }), { code: 0 });
  t.match(await person.types(['apply', file], { environment: { EDGE_URL: serving.url } }), {
    code: 0,
  });

  await person.types(['logout']);
  t.match(await person.types(['export']), {
    code: 2,
    err: /the session of context hall has ended\. Log in again/,
  });
});

t.test('what names two controllers, or none, is refused', async (t) => {
  const person = new Person(t);
  await person.types(login, { answers: [adminPassword] });
  const cases: readonly (readonly [readonly string[], Record<string, string>, RegExp])[] = [
    [['--context', 'gone'], {}, /there is no context "gone"/],
    [['--context', 'hall', '--url', serving.url], {}, /--context .* excludes --url/],
    [['--context', 'hall', '--home', '/x'], {}, /--context .* excludes --home/],
    [['--context', 'hall', '--jwt-file', '/x'], {}, /excludes --jwt-file/],
    [['--admin-user', 'x'], { EDGE_CONTEXT: 'hall' }, /EDGE_CONTEXT .* excludes --admin-user/],
    [[], { EDGE_CONTEXT: 'hall', EDGE_URL: serving.url }, /Only one of EDGE_CONTEXT, EDGE_URL/],
    [[], { EDGE_URL: 'http://x' }, /EDGE_URL is "http:\/\/x" but must be/],
  ];
  for (const [words, environment, err] of cases) {
    const said = await person.types(['export', ...words], { environment });
    t.match(said, { code: 2, out: '', err }, `${words.join(' ')} ${Object.keys(environment)}`);
  }
  const flagFirst = { EDGE_CONTEXT: 'gone', EDGE_HOME: '/gone' };
  t.match(await person.types(['export', '--context', 'hall'], { environment: flagFirst }), {
    code: 0,
  });
});

t.test('the session of a home is kept, and renewed', async (t) => {
  const environment = { EDGE_ADMIN_PASSWORD: adminPassword };
  const person = new Person(t, environment);
  const words = ['export', '--home', serving.home];
  t.match(await person.types(words), { code: 0, err: '' });
  const [key = '', ...others] = Object.keys(sessionsOf(person));
  t.same([key, others], [`home:${serving.home} as admin`, []]);
  const { token = '' } = sessionsOf(person)[key] ?? {};
  t.match(await person.types(words, { environment: { EDGE_ADMIN_PASSWORD: 'wrong' } }), {
    code: 0,
  });
  t.equal(sessionsOf(person)[key]?.token, token);
  t.match(await person.types(['list', 'identities', '--home', serving.home]), { code: 0 });
  t.equal(sessionsOf(person)[key]?.token, token, 'all commands share it');
  await new Api(connect(t, serving), token, '').ask(
    'DELETE',
    '/edge/client/v1/current-api-session',
  );
  t.match(await person.types(words, { environment: { EDGE_ADMIN_PASSWORD: 'wrong' } }), {
    code: 2,
    err: /The controller refused to log admin in: /,
  });
  t.match(await person.types(words), { code: 0 });
  t.not(sessionsOf(person)[key]?.token, token);
  const typed = join(roomOf(t), 'password');
  writeFileSync(typed, 'wrong\n');
  t.match(await person.types([...words, '--admin-password-file', typed]), { code: 2 });
});

t.test('where no session can be kept, it ends with the command', async (t) => {
  const person = new Person(t, { EDGE_ADMIN_PASSWORD: adminPassword });
  const admin = await logIn(connect(t, serving));
  const count = async () => (await admin.all('api-sessions')).length;
  const before = await count();
  const words = ['export', '--home', serving.home];
  const state = join(person.home, '.local/state/edge-control');
  // Where the file would be written before it is renamed.
  const beside = join(state, `sessions.json.${process.pid}.new`);
  mkdirSync(beside, { recursive: true });
  t.match(await person.types(words), { code: 0, err: '' });
  t.equal(await count(), before);
  rmSync(beside, { recursive: true });
  await person.types(words);
  chmodSync(join(state, 'sessions.json'), 0o644);
  t.match(await person.types(words), { code: 2, err: /can be read by others: chmod 600 / });
  rmSync(state, { recursive: true });
  mkdirSync(join(state, 'sessions.json'), { recursive: true });
  t.match(await person.types(words), { code: 2, err: /no regular file/ });
});

t.test('a second factor is asked for', async (t) => {
  const owner = new Person(t, { EDGE_HOME: serving.home, EDGE_ADMIN_PASSWORD: adminPassword });
  await owner.types(['create', 'identity', 'careful', '--is-admin']);
  const password = 'careful-password';
  await owner.types(['password', 'careful'], { answers: [password] });
  const careful = await logIn(connect(t, serving), 'careful', password);
  const path = '/edge/client/v1/current-identity/mfa';
  await careful.ask('POST', path);
  const { provisioningUrl, recoveryCodes } = await careful.ask('GET', path);
  const secret = new URL(String(provisioningUrl)).searchParams.get('secret') ?? '';
  await careful.ask('POST', `${path}/verify`, { code: generateSync({ secret }) });
  const [code = ''] = recoveryCodes as readonly string[];
  const environment = { EDGE_ADMIN_USER: 'careful', EDGE_ADMIN_PASSWORD: password };
  const person = new Person(t, environment);
  const words = ['export', '--home', serving.home];
  t.match(await person.types(words), { code: 2, err: /there is nobody to ask for it/ });
  t.match(await person.types(words, { answers: ['wrong'] }), {
    code: 2,
    err: /the code was refused/,
  });
  t.match(await person.types(words, { answers: [code] }), { code: 0, out: /^version: 1\n/ });
  t.match(await person.types(words), { code: 0, err: '' }, 'the session goes on');
});
