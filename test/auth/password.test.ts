// Password checks, PHC strings, and the real hasher.

import t from 'tap';
import { createHasher } from '../../src/auth/passwords/hasher.ts';
import { createPasswordCheck } from '../../src/auth/passwords/password.ts';
import { formatPhc, needsRehash, parsePhc } from '../../src/auth/passwords/password-hash.ts';
import { type PasswordRules, passwordProblem } from '../../src/auth/passwords/password-rules.ts';
import { systemRandom } from '../../src/platform/clock-and-random.ts';
import { seededRandom } from '../pki/context.ts';
import * as fc from '../properties.ts';
import { SimulatedHasher } from '../simulated/hasher.ts';

const share = { address: '127.0.0.1', username: 'somebody', isKnown: false };
const parameters = { memoryKib: 64, timeCost: 1, parallelism: 1 };

t.test('a check, with the simulated and with the real hasher', async (t) => {
  const hashers = { simulated: new SimulatedHasher(), real: createHasher(systemRandom) };
  for (const [name, hasher] of Object.entries(hashers)) {
    const check = createPasswordCheck(hasher, seededRandom(name), parameters);
    const phc = await hasher.hash('correct hörse', parameters);
    t.match(phc, /^\$argon2id\$v=19\$m=64,t=1,p=1\$[\w+/]{22}\$[\w+/]{43}$/, name);
    t.not(phc, await hasher.hash('correct hörse', parameters), 'a fresh salt');
    t.equal(await check(phc, 'correct hörse', share), true);
    t.equal(await check(phc, 'correct horse', share), false);
    t.equal(await check(phc, '', share), false);
    t.equal(await check(undefined, 'correct hörse', share), false);
    t.equal(await check('$argon2id$damaged', 'correct hörse', share), false);
  }
});

t.test('an unknown user costs what a wrong password costs', async (t) => {
  const hasher = new SimulatedHasher();
  const check = createPasswordCheck(hasher, seededRandom('decoy'), parameters);
  const phc = await hasher.hash('right', parameters);
  hasher.calls.length = 0;
  await check(phc, 'wrong', share);
  await check(undefined, 'wrong', share);
  await check('damaged', 'wrong', share);
  const [wrong, unknown, damaged] = hasher.calls;
  t.same(wrong, { call: 'verify', password: 'wrong', parameters });
  t.same(unknown, wrong);
  t.same(damaged, wrong);
});

t.test('a hash of OpenZiti is read', async (t) => {
  const salt = Buffer.from('0123456789');
  const phc = formatPhc(
    { memoryKib: 3072, timeCost: 1, parallelism: 4 },
    salt,
    Buffer.alloc(32, 7),
  );
  t.same(parsePhc(phc), {
    memoryKib: 3072,
    timeCost: 1,
    parallelism: 4,
    saltBytes: 10,
    hashBytes: 32,
  });
});

t.test('PHC strings', async (t) => {
  const tail = `$${'A'.repeat(22)}$${'B'.repeat(43)}`;
  const refused = [
    '',
    'plain',
    `$argon2i$v=19$m=64,t=1,p=1${tail}`,
    `$argon2id$v=16$m=64,t=1,p=1${tail}`,
    `$argon2id$v=19$m=7,t=1,p=1${tail}`,
    `$argon2id$v=19$m=64,t=0,p=1${tail}`,
    `$argon2id$v=19$m=64,t=1,p=0${tail}`,
    `$argon2id$v=19$m=4194305,t=1,p=1${tail}`,
    `$argon2id$v=19$m=64,t=101,p=1${tail}`,
    `$argon2id$v=19$m=9999,t=1,p=65${tail}`,
    `$argon2id$v=19$m=64,t=1,p=1$${'A'.repeat(22)}$${'B'.repeat(200)}`,
    `$argon2id$v=19$m=64,t=1,p=1$$${'B'.repeat(43)}`,
    `$argon2id$v=19$m=64,t=1,p=1${tail}\n`,
    ` $argon2id$v=19$m=64,t=1,p=1${tail}`,
  ];
  for (const text of refused) t.equal(parsePhc(text), undefined, JSON.stringify(text));
  const lane = fc.integer({ min: 1, max: 64 });
  fc.assert(
    fc.property(
      lane,
      fc.integer({ min: 1, max: 100 }),
      fc.nat(100_000),
      (parallelism, timeCost, more) => {
        const cost = { memoryKib: 8 * parallelism + more, timeCost, parallelism };
        const phc = formatPhc(cost, Buffer.alloc(16), Buffer.alloc(32));
        t.same(parsePhc(phc), { ...cost, saltBytes: 16, hashBytes: 32 });
      },
    ),
    { numRuns: 50 },
  );
});

t.test('a weaker stored hash is renewed', async (t) => {
  const now = { memoryKib: 19456, timeCost: 2, parallelism: 1 };
  const stored = (memoryKib: number, timeCost: number, parallelism = 1, hashBytes = 32): string =>
    formatPhc({ memoryKib, timeCost, parallelism }, Buffer.alloc(16), Buffer.alloc(hashBytes));
  t.equal(needsRehash(stored(19456, 2), now), false);
  t.equal(needsRehash(stored(19456, 2, 4), now), false, 'lanes add no strength');
  t.equal(needsRehash(stored(65536, 1), now), false, 'more memory and more work in all');
  t.equal(needsRehash(stored(19456, 3), now), false);
  t.equal(needsRehash(stored(3072, 1, 4), now), true, 'as OpenZiti hashes');
  t.equal(needsRehash(stored(19456, 1), now), true);
  t.equal(needsRehash(stored(12288, 9), now), true, 'less memory');
  t.equal(needsRehash(stored(19456, 2, 1, 16), now), true, 'a shorter hash');
  t.equal(needsRehash('damaged', now), true);
});

t.test('password rules', async (t) => {
  const bounds = { passwordCharactersMin: 5, passwordCharactersMax: 100 };
  const none: PasswordRules = {
    minPasswordLength: 5,
    requireMixedCase: false,
    requireNumberChar: false,
    requireSpecialChar: false,
  };
  const of = (password: string, rules: Partial<PasswordRules> = {}): string | undefined =>
    passwordProblem({ ...none, ...rules }, password, bounds);
  t.equal(of('12345'), undefined);
  t.equal(of('1234'), 'must have at least 5 characters');
  t.equal(of('1234', { minPasswordLength: 0 }), 'must have at least 5 characters');
  t.equal(of('1234567', { minPasswordLength: 8 }), 'must have at least 8 characters');
  t.equal(of('😀😀😀😀'), 'must have at least 5 characters', 'characters, not units');
  t.equal(of('x'.repeat(100)), undefined);
  t.equal(of('😀'.repeat(100)), undefined);
  t.equal(of('x'.repeat(101)), 'must have at most 100 characters');
  t.equal(of('x'.repeat(1_000_000)), 'must have at most 100 characters');
  const mixed = { requireMixedCase: true };
  t.match(of('lower', mixed), /upper-case and a lower-case/);
  t.match(of('UPPER', mixed), /upper-case and a lower-case/);
  t.match(of('12345', mixed), /upper-case and a lower-case/);
  t.equal(of('Mixed', mixed), undefined);
  t.equal(of('ÄÖÜäöü', mixed), undefined);
  t.match(of('letters', { requireNumberChar: true }), /a digit/);
  t.equal(of('letter1', { requireNumberChar: true }), undefined);
  const special = { requireSpecialChar: true };
  t.match(of('lettérs 1\t', special), /neither letter, digit nor white space/);
  t.equal(of('letters!', special), undefined);
  t.equal(of('letters_', special), undefined);
});
