// `login`, `logout`, `use`, `whoami` and `contexts`: what is kept, and what is refused.

import { chmodSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { rootCertificates } from 'node:tls';
import { generateSync } from 'otplib';
import { type Test, t } from 'tap';
import { Openssl } from '../../simulated/openssl.ts';
import { Api, connect, logIn } from '../../system/client.ts';
import { believe } from '../../system/jwt-holder.ts';
import { adminPassword, roomOf } from '../../system/process.ts';
import { Person, stage } from './person.ts';

/** Where a person's contexts and sessions are. */
function filesOf({ home }: Person) {
  return {
    contexts: join(home, '.config/edge-control/contexts.json'),
    sessions: join(home, '.local/state/edge-control/sessions.json'),
  };
}

const { serving } = await stage(t);
const login = ['login', serving.url, '--user', 'admin'];

async function loggedIn(t: Test) {
  const person = new Person(t);
  const ca = join(serving.home, 'pki/ca.pem');
  const said = await person.types([...login, '--ca', ca], { answers: [adminPassword] });
  return { person, ca, said };
}

t.test('a login is kept for the commands that follow, without its password', async (t) => {
  const { person, said } = await loggedIn(t);
  t.match(said, {
    code: 0,
    out: 'logged in as admin (administrator), context 127.0.0.1\n',
  });
  t.match(await person.types(['list', 'identities', '-o', 'name']), {
    code: 0,
    out: 'identity/admin\n',
  });
  const who = await person.types(['whoami']);
  t.match(who.out, /^context {5}127\.0\.0\.1\ncontroller {2}https:\/\/127\.0\.0\.1:\d+, v/);
  t.match(who.out, /^CA {10}SHA256:[0-9a-f]{8}…[0-9a-f]{4}\nidentity {4}admin, administrator$/m);
  const files = filesOf(person);
  for (const file of Object.values(files)) {
    t.equal(statSync(file).mode & 0o777, 0o600, file);
    t.notMatch(readFileSync(file, 'utf8'), adminPassword);
  }
  t.equal(statSync(join(person.home, '.config/edge-control')).mode & 0o777, 0o700);
  t.match(await person.types(['logout']), { code: 0, out: 'logged out of context 127.0.0.1\n' });
  t.match(await person.types(['list', 'identities']), {
    code: 5,
    out: '',
    err: 'edge-control: the session of context 127.0.0.1 has ended. Log in again: edge-control login\n',
  });
  const again = await person.types(['login'], { answers: [adminPassword] });
  t.match(again, { code: 0 });
});

t.test('the CA of a first login is agreed to, and another one is refused later', async (t) => {
  const person = new Person(t);
  t.match(await person.types(login), { code: 2, err: /there is nobody to ask/ });
  const no = await person.types(login, { answers: ['n'] });
  t.match(no, {
    code: 1,
    err: /shows the CA ".*", valid until \d{4}-\d\d-\d\d,\n {2}SHA256:([0-9a-f]{4} ?){16}\n/,
  });
  t.equal((await person.types(['contexts'])).out, '');
  t.match(await person.types(login, { answers: ['y', adminPassword] }), { code: 0 });
  const wrong = `SHA256:${'0'.repeat(64)}`;
  t.match(await person.types([...login, '--ca-fingerprint', wrong], { answers: [] }), {
    code: 6,
    err: /shows another CA: SHA256:/,
  });
  const [root = ''] = rootCertificates;
  const other = join(roomOf(t), 'other.pem');
  writeFileSync(other, root);
  const answers = [adminPassword];
  t.match(await person.types([...login, '--ca', other], { answers }), {
    code: 6,
    err: /the CA is another one than at the first login/,
  });
  // As if the controller had got another CA since the first login.
  const { contexts } = filesOf(person);
  const saved = JSON.parse(readFileSync(contexts, 'utf8')) as {
    readonly contexts: Readonly<Record<string, object>>;
  };
  const changed = { ...saved.contexts['127.0.0.1'], ca: root };
  writeFileSync(contexts, JSON.stringify({ ...saved, contexts: { '127.0.0.1': changed } }));
  t.match(await person.types(login, { answers }), { code: 6, err: /certificate/ });
  const right = ['--ca', join(serving.home, 'pki/ca.pem')];
  t.match(await person.types([...login, ...right], { answers }), { code: 6 });
  t.match(await person.types([...login, ...right, '--replace-ca'], { answers }), { code: 0 });
});

t.test('a wrong password and a missing person', async (t) => {
  const { person } = await loggedIn(t);
  t.match(await person.types(login, { answers: ['wrong'] }), {
    code: 5,
    err: /the controller refused to log admin in: /,
  });
  t.match(await person.types(login), { code: 2, err: /nobody to ask for the password of admin/ });
  const file = join(roomOf(t), 'password');
  writeFileSync(file, `${adminPassword}\n`);
  t.match(await person.types([...login, '--password-file', file]), { code: 0 });
  const piped = await person.types([...login, '--password-file', '-'], { input: adminPassword });
  t.match(piped, { code: 0 });
  t.match(await person.types([...login, '--cert', file]), {
    code: 2,
    err: /only make sense together/,
  });
});

t.test('contexts are switched and deleted', async (t) => {
  const { person, ca } = await loggedIn(t);
  const second = ['login', serving.url, '--user', 'admin', '--ca', ca, '--name', 'ci'];
  t.match(await person.types(second, { answers: [adminPassword] }), { out: /context ci\n$/ });
  t.equal((await person.types(['use'])).out, 'ci\n');
  t.match(await person.types(['use', '127.0.0.1']), { code: 0 });
  t.match(
    (await person.types(['contexts'])).out,
    /^127\.0\.0\.1 .*\(current\)\nci {9}https.* admin\n$/,
  );
  t.match(await person.types(['use', 'nowhere']), {
    code: 4,
    err: /there is no context "nowhere"/,
  });
  t.match(await person.types(['contexts', 'delete', '127.0.0.1']), { code: 0 });
  t.match(await person.types(['list', 'identities'], { environment: { EDGE_CONTEXT: 'ci' } }), {
    code: 0,
  });
  t.match(await person.types(['list', 'identities', '--context', 'gone']), { code: 4 });
  t.match(await person.types(['list', 'identities']), { code: 2, err: /no controller is named/ });
});

t.test('files that cannot be used are named with what helps', async (t) => {
  const { person } = await loggedIn(t);
  const { contexts } = filesOf(person);
  const text = readFileSync(contexts, 'utf8');
  chmodSync(contexts, 0o644);
  const list = ['list', 'identities'];
  t.match(await person.types(list), {
    code: 2,
    err: `can be read by others: chmod 600 ${contexts}`,
  });
  chmodSync(contexts, 0o600);
  writeFileSync(contexts, '{');
  t.match(await person.types(list), { code: 2, err: /is no JSON: repair or remove it/ });
  writeFileSync(contexts, text.replace('"version": 1', '"version": 2'));
  t.match(await person.types(list), { code: 2, err: /is of a newer release .*\(version 2\)/ });
  writeFileSync(contexts, '{"version":1}');
  t.match(await person.types(list), { code: 2, err: /does not have the form of this release/ });
  const linked = new Person(t);
  mkdirSync(join(linked.home, '.config/edge-control'), { recursive: true });
  symlinkSync(contexts, filesOf(linked).contexts);
  t.match(await linked.types(list), { code: 2, err: /it is a symbolic link/ });
  const directory = new Person(t);
  mkdirSync(filesOf(directory).contexts, { recursive: true });
  t.match(await directory.types(list), { code: 2, err: /cannot be read: it is no regular file/ });
  const homeless = new Person(t);
  t.match(await homeless.types(list, { environment: { HOME: '' } }), {
    code: 2,
    err: /no controller is named/,
  });
});

t.test('two logins at once keep both contexts', async (t) => {
  const { person, ca } = await loggedIn(t);
  const names = ['a', 'b', 'c', 'd'];
  const logins = names.map((name) =>
    person.types(['login', serving.url, '--user', 'admin', '--ca', ca, '--name', name], {
      answers: [adminPassword],
    }),
  );
  for (const said of await Promise.all(logins)) t.equal(said.code, 0);
  const { out } = await person.types(['contexts']);
  for (const name of names) t.match(out, new RegExp(`^${name} `, 'm'));
});

/** Enrolls an administrator with openssl, as a client does. @returns files that it logs in with */
async function enrolled(t: Test, admin: Person, name: string) {
  const ca = join(serving.home, 'pki/ca.pem');
  const said = await admin.types([
    'create',
    'identity',
    name,
    '--is-admin',
    '--enroll',
    '-o',
    'id',
  ]);
  const [id = '', jwt = ''] = said.out.split('\n');
  const { token } = await believe(jwt);
  const openssl = new Openssl(roomOf(t));
  const { pem: csr, keyPath } = openssl.request({ subject: `/CN=${id}` });
  const http = connect(t, serving);
  const { data } = await http.call('POST', `/edge/client/v1/enroll?method=ott&token=${token}`, {
    body: { clientCsr: csr },
  });
  const cert = join(roomOf(t), `${name}.pem`);
  writeFileSync(cert, String(data['cert']));
  const [pem, key] = [String(data['cert']), readFileSync(keyPath, 'utf8')];
  const identity = join(roomOf(t), `${name}.json`);
  const id_ = { cert: `pem:${pem}`, key: `pem:${key}`, ca: `pem:${readFileSync(ca, 'utf8')}` };
  writeFileSync(identity, JSON.stringify({ ztAPI: `${serving.url}/edge/client/v1`, id: id_ }));
  return { ca, cert, key: keyPath, identity };
}

t.test('a certificate or an identity file needs nobody to type', async (t) => {
  const environment = { EDGE_HOME: serving.home, EDGE_ADMIN_PASSWORD: adminPassword };
  const { ca, cert, key, identity } = await enrolled(t, new Person(t, environment), 'deploy');
  const person = new Person(t);
  t.match(await person.types(['login', '--identity', identity, '--name', 'file']), {
    code: 0,
    out: 'logged in as deploy (administrator), context file\n',
  });
  const files = filesOf(person);
  for (const file of Object.values(files)) {
    t.notMatch(readFileSync(file, 'utf8'), 'PRIVATE KEY');
  }
  const words = ['login', serving.url, '--ca', ca, '--cert', cert, '--key', key, '--name', 'pair'];
  t.match(await person.types(words), { code: 0 });
  for (const name of ['file', 'pair']) {
    const { sessions } = JSON.parse(readFileSync(files.sessions, 'utf8')) as {
      readonly sessions: Readonly<Record<string, { readonly token: string }>>;
    };
    const { token = '' } = sessions[`context:${name}`] ?? {};
    const admin = new Api(connect(t, serving), token, '');
    await admin.ask('DELETE', '/edge/client/v1/current-api-session');
    const list = ['list', 'identities', '-o', 'name', '--context', name];
    t.match(await person.types(list), { code: 0, err: '' }, 'the session is renewed in silence');
  }
  writeFileSync(identity, '{"id":{}}');
  t.match(await person.types(['login', '--identity', identity]), {
    code: 2,
    err: /is no identity file: it has no certificate and key/,
  });
});

t.test('a second factor is asked for', async (t) => {
  const environment = { EDGE_HOME: serving.home, EDGE_ADMIN_PASSWORD: adminPassword };
  const owner = new Person(t, environment);
  await owner.types(['create', 'identity', 'careful', '--is-admin']);
  const password = 'careful-password';
  const set = await owner.types(['password', 'careful'], { answers: [password] });
  t.equal(set.code, 0);
  const careful = await logIn(connect(t, serving), 'careful', password);
  const path = '/edge/client/v1/current-identity/mfa';
  await careful.ask('POST', path);
  const { provisioningUrl, recoveryCodes } = await careful.ask('GET', path);
  const secret = new URL(String(provisioningUrl)).searchParams.get('secret') ?? '';
  await careful.ask('POST', `${path}/verify`, { code: generateSync({ secret }) });
  const [code = ''] = recoveryCodes as readonly string[];
  const person = new Person(t);
  const ca = join(serving.home, 'pki/ca.pem');
  const words = ['login', serving.url, '--user', 'careful', '--ca', ca];
  t.match(await person.types(words, { answers: [password, 'wrong'] }), {
    code: 5,
    err: /the code was refused/,
  });
  t.match(await person.types(words, { answers: [password, code] }), {
    code: 0,
    out: /^logged in as careful /,
  });
  t.match(await person.types(['whoami']), { code: 0, out: /careful, administrator/ });
});

t.test('a controller that is away', async (t) => {
  const { person } = await loggedIn(t);
  await serving.process.stop();
  t.match(await person.types(['whoami']), {
    code: 6,
    err: /cannot be asked: .*ECONNREFUSED.* Is it running\? /,
  });
});
