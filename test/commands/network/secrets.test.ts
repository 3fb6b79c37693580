// What a run of commands leaves behind and prints holds no secret, but for tokens in the file of
// sessions and the enrollments that somebody asked for.

import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { t } from 'tap';
import { kindRows } from '../../../src/commands/network/kinds/kind-rows.ts';
import { connect, logIn } from '../../system/client.ts';
import { adminPassword } from '../../system/process.ts';
import { creationsOf } from './furnished.ts';
import { completed, Person, type Said, type Seat, stage } from './person.ts';

const { serving } = await stage(t);
const ca = join(serving.home, 'pki/ca.pem');
const person = new Person(t);
const said: (Said & { readonly words: readonly string[] })[] = [];

async function typed(words: readonly string[], seat: Seat = {}): Promise<Said> {
  const ended = await person.types(words, seat);
  said.push({ ...ended, words });
  if (ended.code !== 0) throw new Error(`${words.join(' ')}: ${ended.err}`);
  return ended;
}

/** Files below the home of the person, with what they hold. */
function filesLeft() {
  return readdirSync(person.home, { recursive: true, withFileTypes: true }).map((entry) => {
    const path = join(entry.parentPath, entry.name);
    const text = entry.isFile() ? readFileSync(path, 'utf8') : '';
    return { name: path.slice(person.home.length + 1), text, mode: statSync(path).mode & 0o777 };
  });
}

const clerkPassword = 'the password of a clerk';

/** Logs in, creates one of everything, and lists it. @returns the token of another session */
async function typeMuch(): Promise<string> {
  const login = ['login', serving.url, '--user', 'admin', '--ca', ca, '--name', 'ctrl'];
  await typed(login, { answers: [adminPassword] });
  const file = join(serving.home, 'piped-password');
  writeFileSync(file, adminPassword);
  await typed([...login.slice(0, -1), 'piped', '--password-file', file]);
  await person
    .types([...login.slice(0, -1), 'wrong'], { answers: ['a wrong password'] })
    .then((ended) => said.push({ ...ended, words: login }));
  for (const { kind, words, body } of await creationsOf('one')) {
    const input = body === undefined ? {} : { input: JSON.stringify(body) };
    await typed(['create', kind, ...words], input);
  }
  await typed(['password', 'one identity', '--username', 'clerk'], { answers: [clerkPassword] });
  const jwtFile = join(person.home, 'guest.jwt');
  await typed(['create', 'identity', 'guest', '--enroll', '--out', jwtFile]);
  t.match((await typed(['enroll', 'guest'])).out, /^eyJ/);
  const clerk = await logIn(connect(t, serving), 'clerk', clerkPassword);
  for (const { name } of kindRows) {
    await typed(['list', name, '-o', 'wide']);
    await typed(['list', name, '-o', 'json']);
  }
  await typed(['get', 'identity', 'one identity']);
  await completed(person, ['get', 'identity', '']);
  await typed(['logout', '--context', 'ctrl']);
  await typed(['whoami']);
  return clerk.token;
}

t.test('a search over output and home', async (t) => {
  const clerkToken = await typeMuch();
  const left = filesLeft();
  const sessions = left.find(({ name }) => name === '.local/state/edge-control/sessions.json');
  const tokens = /"token": "([^"]+)"/g;
  const kept = [...(sessions?.text ?? '').matchAll(tokens)].map(([, token = '']) => token);
  t.equal(kept.length, 1, 'the session of the other context ended');
  const secrets = [adminPassword, clerkPassword, 'a wrong password', ...kept, clerkToken];
  const patterns = [/\$argon2/, /PRIVATE KEY/, ...secrets.map((one) => new RegExp(one))];
  for (const { words, out, err } of said) {
    const found = patterns.filter((one) => one.test(out) || one.test(err));
    t.strictSame(found, [], words.join(' '));
  }
  // The API shows the JWT of an enrollment to who may read it; a table does not.
  const tables = said.filter(({ words }) => !words.includes('json') && words[0] !== 'enroll');
  const jwts = tables.filter(({ words, out, err }) => {
    return !words.includes('--enroll') && /eyJ[\w-]{20}/.test(out + err);
  });
  t.strictSame(
    jwts.map(({ words }) => words.join(' ')),
    [],
  );

  for (const { name, text, mode } of left) {
    t.equal(mode & 0o077, 0, `${name} is for its owner alone`);
    if (name.endsWith('sessions.json')) continue;
    t.strictSame(
      patterns.filter((one) => one.test(text)),
      [],
      name,
    );
    if (name !== 'guest.jwt') t.notMatch(text, /eyJ[\w-]{20}/, name);
  }
  t.strictSame(
    left
      .filter(({ text }) => text !== '')
      .map(({ name }) => name)
      .sort(),
    [
      '.config/edge-control/contexts.json',
      '.local/state/edge-control/names.json',
      '.local/state/edge-control/sessions.json',
      'guest.jwt',
    ],
    'nothing else is left, and no lock',
  );
});
