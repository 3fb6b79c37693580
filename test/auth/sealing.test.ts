// Sealed texts can be opened only with their key and at their place; the key file is created once.

import { createHash, hkdfSync } from 'node:crypto';
import t from 'tap';
import { SealingKey } from '../../src/auth/sealing/sealing.ts';
import { StartProblem } from '../../src/errors/errors.ts';
import { tokenHash } from '../../src/records/token-hash.ts';
import type { SealedPlace } from '../../src/store/record.ts';
import { SimulatedDisk } from '../simulated/disk.ts';
import { SimulatedRandom } from '../simulated/random.ts';

const directory = '/home/pki';
const path = `${directory}/sealing.key`;
const place: SealedPlace = { kind: 'mfaEnrollment', id: 'one', field: 'secret' };
const plain = Buffer.from('a secret of some length');
const random = new SimulatedRandom();

function newDisk(): SimulatedDisk {
  const disk = new SimulatedDisk(1);
  disk.makeDirectory(directory);
  disk.syncDirectory('/home');
  return disk;
}

const keyOf = (disk: SimulatedDisk) => new SealingKey({ disk, random, directory });

const open = (disk: SimulatedDisk, sealed?: string) =>
  keyOf(disk).confirm(sealed === undefined ? [] : [{ sealed, place }]);

t.test('a sealed text opens after a crash, with the same key', async (t) => {
  const disk = newDisk();
  const sealed = open(disk).seal(plain, place);
  t.notMatch(sealed, plain.toString());
  t.notMatch(Buffer.from(sealed, 'base64').toString('latin1'), plain.toString());
  const crashed = disk.crash();
  t.same(open(crashed, sealed).open(sealed, place), plain);
  t.match(disk.bytesOf(path).toString(), /^[0-9a-f]{64}\n$/);
});

t.test('nothing may be empty, and no two sealed texts are alike', async (t) => {
  const sealing = open(newDisk());
  const nothing = sealing.seal(Buffer.alloc(0), place);
  t.same(sealing.open(nothing, place), Buffer.alloc(0));
  t.not(sealing.seal(plain, place), sealing.seal(plain, place));
});

t.test('a sealed text opens nowhere else, and not with a flipped bit', async (t) => {
  const sealing = open(newDisk());
  const sealed = sealing.seal(plain, place);
  const others = [{ id: 'two' }, { field: 'recoveryCodes' }, { kind: 'identity' }];
  for (const other of others) t.throws(() => sealing.open(sealed, { ...place, ...other }));
  const bytes = Buffer.from(sealed, 'base64');
  for (let at = 0; at < bytes.length; at++) {
    const damaged = Buffer.from(bytes);
    damaged[at] = (damaged[at] ?? 0) ^ 1;
    t.throws(() => sealing.open(damaged.toString('base64'), place), /was not sealed here/);
  }
  for (const cut of ['', 'AQ==', sealed.slice(0, 40)]) {
    t.throws(() => sealing.open(cut, place), /secret of mfaEnrollment one was not sealed here/);
  }
});

t.test('a new token is derived from key and place, and opens only at its place', async (t) => {
  const disk = newDisk();
  const sealing = open(disk);
  const at = { kind: 'apiSession', id: 'one', field: 'token' };
  const { token, sealed } = sealing.newToken(at);
  t.match(token, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  t.equal(sealing.open(sealed, at).toString(), token);
  t.equal(sealing.newToken(at).token, token);
  const tokens = new Set([token]);
  for (const other of [{ id: 'two' }, { kind: 'enrollment' }]) {
    tokens.add(sealing.newToken({ ...at, ...other }).token);
  }
  tokens.add(open(newDisk()).newToken(at).token);
  t.equal(tokens.size, 4, 'another place or key has another token');
  t.throws(() => sealing.open(sealed, { ...at, field: 'secret' }), /was not sealed here/);
  const found = { sealed, place: at, hash: tokenHash(token) };
  t.equal(keyOf(disk).problem([found]), undefined);
  t.match(keyOf(newDisk()).problem([found]), /is missing, and with it/);
  const strange = newDisk();
  open(strange);
  t.match(keyOf(strange).problem([found]), /is not the key that/);
});

t.test('the token of a place stays the same, whatever tokens were made before it', async (t) => {
  const disk = newDisk();
  const sealing = open(disk);
  const key = Buffer.from(disk.bytesOf(path).toString().trim(), 'hex');
  const tokenKey = Buffer.from(hkdfSync('sha256', key, '', 'edge-control tokens', 32));
  for (const id of ['one', 'x'.repeat(300), 'two', 'ü€\u{1f600}'.repeat(90), 'one', '']) {
    const place = { kind: 'apiSession', id, field: 'token' };
    const bytes = createHash('sha3-256')
      .update(tokenKey)
      .update(`apiSession\0${id}\0token`)
      .digest();
    bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
    bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
    const { token, sealed } = sealing.newToken(place);
    t.equal(token.replaceAll('-', ''), bytes.toString('hex', 0, 16));
    t.equal(sealing.open(sealed, place).toString(), token);
  }
});

t.test('a key that is missing, damaged or another ends the start in a sentence', async (t) => {
  const disk = newDisk();
  const sealed = open(disk).seal(plain, place);
  t.doesNotThrow(() => open(newDisk()), 'a home without sealed texts makes one');
  t.throws(() => open(newDisk(), sealed), StartProblem);
  t.throws(() => open(newDisk(), sealed), /sealing\.key is missing, and with it the second factor/);
  const other = newDisk();
  open(other);
  t.throws(() => open(other, sealed), /sealing\.key is not the key that the second factors/);
  other.place(path, Buffer.from('12ab\n'));
  t.throws(() => open(other, sealed), /does not hold a key of 64 hexadecimal digits/);
  t.throws(() => open(other), StartProblem, 'nor is a damaged one written over');
});

t.test('texts that the start seals do not prove that the key is the former one', async (t) => {
  const disk = newDisk();
  const key = keyOf(disk);
  const sealed = key.seal(plain, place);
  t.notOk(disk.exists(path), 'a key that is made up waits until it is certain that none is lost');
  const sealing = key.confirm([{ sealed, place }]);
  t.same(sealing.open(sealed, place), plain);
  t.same(open(disk, sealed).open(sealed, place), plain, 'and is written then');
  const lost = keyOf(newDisk());
  const ownText = lost.seal(plain, place);
  const texts = [ownText, sealed].map((text) => ({ sealed: text, place }));
  t.throws(() => lost.confirm(texts), /sealing\.key is missing/);
  const other = newDisk();
  open(other);
  const wrong = keyOf(other);
  const wrongText = wrong.seal(plain, place);
  const both = [wrongText, sealed].map((text) => ({ sealed: text, place }));
  t.throws(() => wrong.confirm(both), /is not the key/);
});
