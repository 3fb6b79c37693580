// Enrollments that are handed out or carried out here, and logins by them.

import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Test, t } from 'tap';
import { roomOf } from '../../system/process.ts';
import { Person, stage } from './person.ts';

const { serving, run } = await stage(t);

t.test('an identity enrolls here, and logs in by its file', async (t) => {
  const file = join(roomOf(t), 'guest.json');
  const create = ['create', 'identity', 'guest', '--is-admin', '--enroll'];
  t.match(await run(...create, '--identity-file', file), {
    code: 0,
    out: /^created identity guest \(\S{10}\)\nenrolled identity guest, wrote .+guest\.json\n$/,
  });
  t.equal(statSync(file).mode & 0o777, 0o600);
  const { ztAPI, id } = JSON.parse(readFileSync(file, 'utf8')) as {
    readonly ztAPI: string;
    readonly id: Readonly<Record<string, string>>;
  };
  t.match(ztAPI, /^https:\/\/localhost:\d+\/edge\/client\/v1$/);
  t.match(id, {
    cert: /^pem:-----BEGIN CERTIFICATE-----\n/,
    key: /^pem:-----BEGIN PRIVATE KEY-----\n/,
    ca: /^pem:-----BEGIN CERTIFICATE-----\n/,
  });
  const guest = new Person(t);
  t.match(await guest.types(['login', '--identity', file]), {
    code: 0,
    out: 'logged in as guest (administrator), context localhost\n',
  });
  t.match(await guest.types(['list', 'identities', '-o', 'name']), { code: 0, err: '' });
  t.match(await run('enroll', 'guest', '--identity-file', file), { code: 1, err: /refused it/ });

  await run('create', 'identity', 'later');
  t.match(await run('enroll', 'later', '--identity-file', file), {
    code: 0,
    out: /^enrolled identity later, wrote /,
  });
  const json = ['create', 'identity', 'program', '-o', 'json', '--identity-file', file];
  const said = await run(...json);
  t.match(JSON.parse(said.out), { name: 'program' });
  t.match(said.err, /^controller: .*\nenrolled identity program, wrote /);
});

t.test('a JWT is handed out with what to do next', async (t) => {
  const room = roomOf(t);
  const create = ['create', 'identity', "hall's host"];
  t.match(await run(...create, '--enroll', '--out', join(room, 'a.jwt')), {
    code: 0,
    out: /^created identity hall's host \(\S+\)\nwrote (.+a\.jwt), good until \d\d:\d\d: ziti edge enroll '?\1'?, or scan it: edge-control enroll 'hall'\\''s host' --qr\n$/,
  });
  await run('create', 'er', 'edge-1');
  t.match(await run('enroll', 'edge-1', '--out', join(room, 'b.jwt')), {
    code: 0,
    out: /^wrote (.+b\.jwt), good until \S+: ziti router enroll '?\1'?\n$/,
  });
  const json = await run('create', 'er', 'edge-2', '--enroll', '-o', 'json');
  t.match(JSON.parse(json.out), { enrollmentJwt: /^eyJ/ });
});

t.test('what cannot be handed out is refused before anything is sent', async (t: Test) => {
  const room = roomOf(t);
  mkdirSync(join(room, 'directory'));
  await run('create', 'er', 'edge-3');
  const create = ['create', 'identity', 'lost'];
  const file = join(room, 'lost.json');
  const cases: readonly (readonly [readonly string[], RegExp])[] = [
    [[...create, '--identity-file', '/nowhere/lost.json'], /cannot be written: /],
    [[...create, '--out', '/nowhere/lost.jwt'], /cannot be written: /],
    [[...create, '--identity-file', join(room, 'directory')], /it is a directory/],
    [[...create, '--out', file, '--identity-file', file], /exclude each other/],
    [['enroll', 'edge-3', '--qr', '--identity-file', file], /exclude each other/],
    [['enroll', 'edge-3', '--identity-file', file], /routers enroll themselves/],
    [['create', 'er', 'edge-4', '--identity-file', file], /routers enroll themselves/],
    [['create', 'svc', 'x', '--identity-file', file], /a service does not enroll/],
  ];
  for (const [words, message] of cases) {
    t.match(await run(...words), { code: 2, out: '', err: message }, words.join(' '));
  }
  t.match(await run('get', 'identity', 'lost'), { code: 4 });
  t.match(await run('get', 'er', 'edge-4'), { code: 4 });
});

t.test('a JWT is enough to log in', async (t) => {
  const room = roomOf(t);
  const [jwt, file] = [join(room, 'deploy.jwt'), join(room, 'deploy.json')];
  const create = ['create', 'identity', 'deploy', '--is-admin', '--enroll', '--out', jwt];
  t.match(await run(...create), { code: 0 });
  const person = new Person(t);
  const login = ['login', '--enrollment-jwt', jwt];
  const otherJwt = join(room, 'other.jwt');
  const part = (content: object) => Buffer.from(JSON.stringify(content)).toString('base64url');
  const [head = '', claims = '', signature = ''] = readFileSync(jwt, 'utf8').split('.');
  const told = JSON.parse(Buffer.from(claims, 'base64url').toString()) as object;
  const changed = (content: object) => `${head}.${part({ ...told, ...content })}.${signature}`;
  const cases: readonly (readonly [string, number, RegExp])[] = [
    ['', 2, /other\.jwt holds no JWT of an enrollment/],
    ['a.b.c', 2, /holds no JWT of an enrollment/],
    [changed({ em: 'updb' }), 2, /is for an enrollment by "updb"/],
    [changed({ exp: 1 }), 2, /has ended at 1970-01-01/],
    [changed({ iss: 'http://x' }), 2, /names no controller/],
    [changed({ sub: 'another' }), 6, /has not signed .*other\.jwt/],
    [changed({ iss: 'https://127.0.0.1:1' }), 6, /does not tell its CAs: .*ECONNREFUSED/],
  ];
  for (const [text, code, err] of cases) {
    writeFileSync(otherJwt, text);
    const words = ['login', '--enrollment-jwt', otherJwt, '--identity-file', file];
    t.match(await person.types(words), { code, out: '', err });
  }
  const wrong: readonly (readonly [readonly string[], RegExp])[] = [
    [login, /say where to write the identity file/],
    [[...login, '--identity-file', '/nowhere/x.json'], /cannot be written/],
    [[...login, '--identity-file', file, '--user', 'admin'], /says where and as whom to log in/],
    [['login', serving.url, ...login.slice(1), '--identity-file', file], /says where and as/],
    [['login', '--enrollment-jwt', '/nowhere', '--identity-file', file], /cannot be read/],
    [[...login, '--identity-file', file, '--name', 'a b'], /--name is "a b" but/],
  ];
  for (const [words, err] of wrong) {
    t.match(await person.types(words), { code: 2, out: '', err }, words.join(' '));
  }
  t.match(await person.types([...login, '--identity-file', file]), {
    code: 0,
    out: 'logged in as deploy (administrator), context localhost\n',
    err: /^enrolled, wrote .+deploy\.json\n$/,
  });
  t.match(await person.types(['list', 'identities', '-o', 'name']), { code: 0 });
  const again = await person.types([...login, '--identity-file', join(room, 'again.json')]);
  t.match(again, { code: 4, out: '', err: /refused it/ });
});
