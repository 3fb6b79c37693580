// `verify ca`: the proof is made here, of the key of the CA.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { t } from 'tap';
import { authorityExtensions, Openssl } from '../../simulated/openssl.ts';
import { roomOf } from '../../system/process.ts';
import { stage } from './person.ts';

const { person, run } = await stage(t);
const openssl = new Openssl(roomOf(t));

/** What the API wants of each new CA. */
const needed = [
  ['--identity-roles', 'partners'],
  ['--is-auth-enabled', '--no-is-auto-ca-enrollment-enabled', '--is-ott-ca-enrollment-enabled'],
].flat();

async function registered(name: string, key: 'p-256' | 'p-384' | 'rsa-2048') {
  const made = openssl.certificate({
    subject: `/CN=${name}`,
    key,
    extensions: authorityExtensions,
  });
  const said = await run('create', 'ca', name, '--cert-pem', made.pem, ...needed);
  if (said.code !== 0) throw new Error(said.err);
  return made;
}

t.test('a CA is verified by its key', async (t) => {
  for (const key of ['p-256', 'p-384', 'rsa-2048'] as const) {
    const { keyPath } = await registered(key, key);
    const verify = ['verify', 'ca', key, '--key', keyPath];
    t.match(await run(...verify), { code: 0, out: `verified ca ${key}\n` });
    t.match((await run('get', 'ca', key, '-o', 'json')).out, /"isVerified": true/);
    t.match(await run(...verify), { code: 1, err: /is verified already/ });
  }
});

t.test('a key with a password is asked for it', async (t) => {
  const { keyPath } = await registered('locked', 'p-256');
  const locked = join(roomOf(t), 'locked.key');
  openssl.run('pkcs8', '-topk8', '-in', keyPath, '-out', locked, '-passout', 'pass:tell-nobody');
  const verify = ['verify', 'ca', 'locked', '--key', locked];
  t.match(await run(...verify), { code: 2, err: /nobody to ask for the password of / });
  const wrong = await person.types(verify, { answers: ['wrong'] });
  t.match(wrong, { code: 2, out: '', err: /password/ });
  const passwordFile = join(roomOf(t), 'password');
  writeFileSync(passwordFile, 'tell-nobody\n');
  const said = await run(...verify, '--password-file', passwordFile);
  t.match(said, { code: 0 });
  t.notMatch(said.out + said.err, 'tell-nobody');
});

t.test('what proves nothing is refused', async (t) => {
  const { path } = await registered('mine', 'p-256');
  const other = openssl.certificate({ subject: '/CN=other', extensions: authorityExtensions });
  const edwards = openssl.request({ subject: '/CN=edwards', key: 'ed25519' });
  const text = join(roomOf(t), 'text');
  writeFileSync(text, 'no key\n');
  const verify = ['verify', 'ca', 'mine'];
  const cases: readonly (readonly [readonly string[], RegExp])[] = [
    [verify, /say where the private key of the CA is/],
    [[...verify, '--key', '/nowhere/ca.key'], /cannot be read: /],
    [[...verify, '--key', text], /is not PEM, PKCS#12 or PKCS#7/],
    [[...verify, '--key', path], /holds 0 private keys/],
    [[...verify, '--key', other.keyPath], /the key is not that of ca "mine"/],
    [[...verify, '--key', edwards.keyPath], /the key is not that of ca "mine"/],
    [['verify', 'identity', 'mine', '--key', other.keyPath], /only a CA is verified/],
  ];
  for (const [words, message] of cases) {
    t.match(await run(...words), { code: 2, out: '', err: message }, words.join(' '));
  }
  t.match(await run('verify', 'ca', 'nobody', '--key', other.keyPath), { code: 4 });
  t.match((await run('get', 'ca', 'mine', '-o', 'json')).out, /"isVerified": false/);
});
