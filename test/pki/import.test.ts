// Files of other authorities: every form and protection, damage, and the choice of the pair.

import {
  createPrivateKey,
  generateKeyPairSync,
  type KeyObject,
  X509Certificate,
} from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import forge from 'node-forge';
import t, { type Test } from 'tap';
import { StartProblem } from '../../src/errors/errors.ts';
import { type KeyMaterial, readKeyMaterial } from '../../src/pki/import/key-material.ts';
import { type PairSearch, serverPair } from '../../src/pki/import/server-pair.ts';
import { isIssuedBy, keyToPem, toPem } from '../../src/pki/x509/pem.ts';
import * as fc from '../properties.ts';
import { startMs } from './context.ts';
import {
  bytesOf,
  childrenOf,
  type ForeignPair,
  foreignPair,
  forgePkcs12,
  issuedBeside,
  selfSigned,
} from './foreign-pair.ts';

const rsa = await foreignPair('rsa-2048');
const ec = await foreignPair();
const opensslKey = createPrivateKey(lastBlock(opensslFile('all.pem').toString()));

function opensslFile(name: string): Buffer {
  return readFileSync(join(import.meta.dirname, 'openssl-files', name));
}

function lastBlock(pem: string): string {
  return pem.slice(pem.lastIndexOf('-----BEGIN'));
}

/** Reads a file, and notes whether it asked for its password. */
async function read(bytes: Buffer | string, password?: string) {
  let asked = 0;
  const ask = async () => {
    asked += 1;
    if (password === undefined) throw new StartProblem('The password cannot be read: none.');
    return password;
  };
  const material = await readKeyMaterial({ name: 'FILE', bytes: Buffer.from(bytes) }, ask);
  return { ...material, asked };
}

function search(material: KeyMaterial, changes: Partial<PairSearch> = {}): PairSearch {
  return {
    name: 'FILE',
    material,
    authorities: material.certificates.filter((one) => one.ca && isIssuedBy(one, one)),
    advice: 'add it',
    host: 'edge.example.com',
    controlHost: undefined,
    nowMs: startMs,
    ...changes,
  };
}

/** All of a pair, out of order. */
function materialOf({ key, certificate, intermediate, root }: ForeignPair): KeyMaterial {
  return { keys: [key], certificates: [root, certificate, intermediate] };
}

function holdsPair(t: Test, found: KeyMaterial, pair: ForeignPair, name: string): void {
  t.equal(found.keys.length, 1, name);
  t.ok(found.keys[0]?.equals(pair.key), name);
  const { certificate, intermediate, root } = pair;
  t.equal(toPem(found.certificates), toPem([certificate, intermediate, root]), name);
}

/** `key` in PEM under the password `secret`. */
function lockedPem(key: KeyObject, type: 'pkcs1' | 'pkcs8' | 'sec1', cipher: string): string {
  return key.export({ type, format: 'pem', cipher, passphrase: 'secret' }).toString();
}

t.test('PKCS#12 of node-forge, with each of its ciphers', async (t) => {
  for (const algorithm of ['3des', 'aes128', 'aes192', 'aes256'] as const) {
    const found = await read(forgePkcs12(rsa, 'secret', { algorithm }), 'secret');
    holdsPair(t, found, rsa, algorithm);
    t.equal(found.asked, 1);
  }
  for (const empty of ['', null]) {
    const found = await read(forgePkcs12(rsa, empty, { algorithm: '3des' }));
    holdsPair(t, found, rsa, 'the empty password is not asked for');
  }
});

t.test('PKCS#12 and PKCS#7 of openssl, with EC keys', async (t) => {
  const files = [
    ['modern.p12', 'secret', 1],
    ['legacy.p12', 'secret', 1],
    ['umlauts.p12', 'pässwört', 1],
    ['empty.p12', '', 0],
    ['chain.p7b', '', 0],
    ['chain.pem.p7b', '', 0],
    ['all.pem', '', 0],
  ] as const;
  for (const [name, password, asked] of files) {
    const found = await read(opensslFile(name), password);
    t.equal(found.asked, asked, name);
    const keys = name.includes('p7b') ? [opensslKey] : found.keys;
    const pair = serverPair(search({ ...found, keys }));
    t.ok(pair.key.equals(opensslKey), name);
    t.match(pair.certificate.subject, /CN=edge\.example\.com/, name);
    t.equal(pair.chain.length, 2, name);
    t.match(pair.authority.subject, /CN=root/, name);
  }
  const { keys } = await read(opensslFile('encrypted.key'), 'secret');
  t.ok(keys[0]?.equals(opensslKey));
});

t.test('PEM as tools and editors leave it', async (t) => {
  const { certificate, intermediate, root, key } = rsa;
  const chain = toPem([certificate, intermediate, root]);
  const parameters =
    '-----BEGIN EC PARAMETERS-----\nBggqhkjOPQMBBw==\n-----END EC PARAMETERS-----\n';
  const explained = `Bag Attributes\n  name: a-b\n${chain}\n0 = subject\n${parameters}${keyToPem(key)}`;
  for (const text of [explained, explained.replaceAll('\n', '\r\n'), `0${explained}`]) {
    const found = await read(text);
    holdsPair(t, found, rsa, 'without a password');
    t.equal(found.asked, 0);
  }
  const locked = [
    lockedPem(rsa.key, 'pkcs1', 'aes-256-cbc'),
    lockedPem(rsa.key, 'pkcs8', 'des-ede3-cbc'),
    lockedPem(rsa.key, 'pkcs8', 'aes-128-cbc'),
  ];
  for (const pem of locked) {
    holdsPair(t, await read(chain + pem, 'secret'), rsa, 'with a password');
    await refused(t, pem, 'other', /^The password does not open FILE: it is wrong/);
  }
  const ecFound = await read(lockedPem(ec.key, 'sec1', 'aes-256-cbc'), 'secret');
  t.ok(ecFound.keys[0]?.equals(ec.key));
});

async function refused(t: Test, bytes: Buffer | string, password: string, message: RegExp) {
  await t.rejects(read(bytes, password), { name: 'PkiProblem', message }, `${message}`);
}

t.test('what cannot be read is refused in one sentence', async (t) => {
  const p12 = forgePkcs12(rsa, 'secret');
  await refused(t, p12, 'other', /^The password does not open FILE: it is wrong, or the file is/);
  await refused(t, opensslFile('umlauts.p12'), 'pässwort', /^The password does not open FILE/);
  await refused(
    t,
    forgePkcs12(rsa, 'x', { useMac: false }),
    'x',
    /^FILE has no checksum for its password: /,
  );
  await refused(t, p12.subarray(0, -1), 'secret', /^FILE is damaged, or protected in a way/);
  await refused(t, Buffer.concat([p12, p12]), 'secret', /^FILE is damaged, or protected/);
  await refused(t, '', '', /^FILE is not PEM, PKCS#12 or PKCS#7\.$/);
  await refused(t, 'a text', '', /^FILE is not PEM, PKCS#12 or PKCS#7\.$/);
  await refused(t, rsa.root.raw, '', /^FILE is not PEM, PKCS#12 or PKCS#7\.$/);
  const pem = toPem([rsa.root]);
  await refused(t, pem.slice(0, -10), '', /^FILE holds a PEM block that is cut off or damaged\.$/);
  await refused(t, pem.replace('MII', 'MI!'), '', /^FILE holds a block that is no certificate\.$/);
  const request = pem.replaceAll('CERTIFICATE', 'CERTIFICATE REQUEST');
  await refused(t, request, '', /^FILE holds a PEM block of the kind CERTIFICATE REQUEST\.$/);
  const broken = keyToPem(rsa.key).replace(/\n.{64}\n/, '\n');
  await refused(t, broken, '', /^FILE holds a private key that cannot be read\.$/);
  const locked = lockedPem(rsa.key, 'pkcs8', 'aes-128-cbc');
  await refused(t, locked.replace(/\n.{64}\n/, '\n'), 'secret', /^FILE holds a private key that/);
  await t.rejects(read(p12), { message: 'The password cannot be read: none.' });
});

t.test('a password that costs too much to check', async (t) => {
  const rounds = '\x7f\xff\xff\xff';
  const pfx = forge.asn1.fromDer(forgePkcs12(rsa, 'secret').toString('latin1'));
  const [, , mac] = childrenOf(pfx);
  const [, , count] = mac === undefined ? [] : childrenOf(mac);
  if (count === undefined) throw new Error('a file without a MAC');
  count.value = rounds;
  const tooMany = /^FILE asks for more than 1000000 rounds to check its password\.$/;
  await refused(t, bytesOf(pfx), 'secret', tooMany);
  count.value = '';
  await refused(t, bytesOf(pfx), 'secret', tooMany);

  const der = createDer(lockedPem(rsa.key, 'pkcs8', 'aes-128-cbc'));
  const info = forge.asn1.fromDer(der.toString('latin1'));
  const few = integersIn(info).find(({ value }) => value.length === 2);
  if (few === undefined) throw new Error('a key without a count of rounds');
  few.value = rounds;
  const label = 'ENCRYPTED PRIVATE KEY';
  const pem = `-----BEGIN ${label}-----\n${bytesOf(info).toString('base64')}\n-----END ${label}-----\n`;
  await refused(t, pem, 'secret', tooMany);
});

function createDer(pem: string): Buffer {
  return Buffer.from(pem.replace(/-----[^-]+-----/g, ''), 'base64');
}

function integersIn(element: forge.asn1.Asn1): forge.asn1.Asn1[] {
  if (element.type === forge.asn1.Type.INTEGER) return [element];
  return element.constructed ? childrenOf(element).flatMap(integersIn) : [];
}

t.test('the pair is found in any order, and its chain is put in order', async (t) => {
  for (const foreign of [rsa, ec]) {
    const { key, certificate, intermediate, root } = foreign;
    const pair = serverPair(search(materialOf(foreign)));
    t.ok(pair.key.equals(key));
    t.equal(toPem(pair.chain), toPem([certificate, intermediate]));
    t.equal(pair.authority, root);
    t.same(pair.unnamedHosts, []);
  }
  t.test('the certificate that is valid longest is taken', async (t) => {
    const { keys, certificates } = materialOf(ec);
    const older = await issuedBeside(ec, { notAfterMs: startMs + 1000 });
    const pair = serverPair(search({ keys, certificates: [older, ...certificates, older] }));
    t.equal(pair.certificate, ec.certificate);
  });
  t.test('a root that another one has signed, too', async (t) => {
    const { keys, certificates } = materialOf(ec);
    const other = await foreignPair();
    const crossed = await issuedBeside(other, {
      subject: 'CN=Foreign Root',
      publicKey: ec.root.publicKey,
      use: { as: 'authority', pathLength: 1 },
    });
    const pair = serverPair(
      search({ keys, certificates: [crossed, ...certificates] }, { authorities: [ec.root] }),
    );
    t.equal(toPem(pair.chain), toPem([ec.certificate, ec.intermediate]));
  });
  t.test('a certificate that is its own CA', async (t) => {
    const certificate = ownAuthority(rsa.key);
    const pair = serverPair(search({ keys: [rsa.key], certificates: [certificate] }));
    t.equal(toPem(pair.chain), toPem([certificate]));
    t.equal(pair.authority, certificate);
    const use = { as: 'authority', pathLength: 0 } as const;
    const signing = await selfSigned(ec.key, { use });
    t.throws(
      () => serverPair(search({ keys: [ec.key], certificates: [signing] })),
      { message: /cannot serve TLS: its key usage permits no signatures/ },
      'one that may only sign certificates',
    );
  });
});

/** As `openssl req -x509` makes it: a CA without a key usage. */
function ownAuthority(key: KeyObject): X509Certificate {
  const { pki } = forge;
  const certificate = pki.createCertificate();
  const forgeKey = pki.privateKeyFromPem(keyToPem(key));
  certificate.publicKey = pki.setRsaPublicKey(forgeKey.n, forgeKey.e);
  certificate.serialNumber = '01';
  certificate.validity.notBefore = new Date(startMs - 1000);
  certificate.validity.notAfter = new Date(startMs + 1_000_000);
  const name = [{ name: 'commonName', value: 'edge.example.com' }];
  certificate.setSubject(name);
  certificate.setIssuer(name);
  certificate.setExtensions([
    { name: 'basicConstraints', cA: true },
    { name: 'subjectAltName', altNames: [{ type: 2, value: 'edge.example.com' }] },
  ]);
  certificate.sign(forgeKey, forge.md.sha256.create());
  return new X509Certificate(pki.certificateToPem(certificate));
}

t.test('hosts that only this machine knows need not be named', async (t) => {
  const material = materialOf(ec);
  t.same(serverPair(search(material, { host: 'localhost' })).unnamedHosts, ['localhost']);
  const control = search(material, { controlHost: 'ctrl.example.com' });
  t.throws(() => serverPair(control), {
    message:
      'The certificate CN=edge.example.com does not name the advertised host ctrl.example.com: it names DNS:edge.example.com.',
  });
});

t.test('what cannot serve is refused in one sentence', async (t) => {
  const { key, certificate, intermediate, root } = ec;
  const all = materialOf(ec).certificates;
  const weak = generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey;
  const edwards = generateKeyPairSync('ed25519').privateKey;
  const withChanges = async (changes: Parameters<typeof issuedBeside>[1]) => ({
    keys: [key],
    certificates: [root, intermediate, await issuedBeside(ec, changes)],
  });
  const alone = await selfSigned(key);
  const cases: readonly (readonly [KeyMaterial, RegExp])[] = [
    [
      { keys: [], certificates: all },
      /^There is no private key in FILE: name its file by --key\.$/,
    ],
    [{ keys: [key], certificates: [] }, /^There is no certificate in FILE\.$/],
    [{ keys: [key, rsa.key], certificates: all }, /^There are several private keys in FILE: leave/],
    [{ keys: [rsa.key], certificates: all }, /^The private key in FILE belongs to none of the/],
    [{ keys: [edwards], certificates: all }, /^FILE: a key of kind ed25519 cannot be used/],
    [
      { keys: [key], certificates: Array.from({ length: 501 }, () => certificate) },
      /^There are more than 500 certificates in FILE\.$/,
    ],
    [
      { keys: [key], certificates: [certificate, intermediate] },
      /^The CA CN=Foreign Root, which issued CN=Foreign Intermediate, is missing: add it\.$/,
    ],
    [
      { keys: [key], certificates: [certificate, root] },
      /^The CA CN=Foreign Intermediate, which issued CN=edge\.example\.com, is missing: add it\.$/,
    ],
    [
      { keys: [key], certificates: [alone] },
      /^The certificate CN=edge\.example\.com signs itself and is not that of a CA, so clients/,
    ],
    [
      await withChanges({ notAfterMs: startMs - 60_000 }),
      /^The certificate CN=edge\.example\.com ended on 2\d{3}-.*Z\.$/,
    ],
    [
      await withChanges({ notBeforeMs: startMs + 60_000 }),
      /^The certificate CN=edge\.example\.com is valid only from 2\d{3}-.*Z on\.$/,
    ],
    [
      await withChanges({ use: { as: 'end', extendedUsages: ['clientAuth'] } }),
      /^The certificate CN=edge\.example\.com cannot serve TLS: its extended key usage does not/,
    ],
    [
      await withChanges({ alternativeNames: [{ type: 'dns', value: 'other.example.com' }] }),
      / does not name the advertised host edge\.example\.com: it names DNS:other\.example\.com\.$/,
    ],
    [
      { ...(await withChanges({ publicKey: weak })), keys: [weak] },
      /^The certificate CN=.* cannot serve TLS: its RSA key has 1024 bits, fewer than 2048\.$/,
    ],
  ];
  for (const [material, message] of cases) {
    t.throws(() => serverPair(search(material)), { name: 'PkiProblem', message }, `${message}`);
  }
  const late = search(materialOf(ec), { nowMs: startMs + 2000 * 86_400_000 });
  t.throws(() => serverPair(late), { message: /ended on/ });
});

/** A file with one of its parts flipped, cut off, left out, doubled or replaced. */
const damage = fc.record({
  at: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
  length: fc.integer({ min: 0, max: 40 }),
  kind: fc.constantFrom('flip', 'end', 'leave out', 'double', 'replace'),
  bytes: fc.uint8Array({ minLength: 1, maxLength: 40 }),
});

type Damage = Parameters<Parameters<typeof damage.map>[0]>[0];

function damaged(file: Buffer, { at, length, kind, bytes }: Damage): Buffer {
  const from = Math.floor(at * file.length);
  const [before, behind] = [file.subarray(0, from), file.subarray(from + length)];
  switch (kind) {
    case 'flip': {
      const flipped = Buffer.from(file);
      flipped[from] = (flipped[from] ?? 0) ^ (1 << (length % 8));
      return flipped;
    }
    case 'end':
      return before;
    case 'leave out':
      return Buffer.concat([before, behind]);
    case 'double':
      return Buffer.concat([before, file.subarray(from, from + length), file.subarray(from)]);
    default:
      return Buffer.concat([before, bytes, behind]);
  }
}

/** The committed files, so that a seed repeats its cases. */
const damagedFiles = [
  'legacy.p12',
  'modern.p12',
  'chain.p7b',
  'chain.pem.p7b',
  'all.pem',
  'encrypted.key',
] as const;

t.test('damaged files are read, or refused in one sentence', async (t) => {
  for (const name of damagedFiles) {
    const file = opensslFile(name);
    await fc.assert(
      fc.asyncProperty(fc.array(damage, { minLength: 1, maxLength: 3 }), async (all) => {
        await endsInOneSentence(all.reduce(damaged, file));
      }),
      { numRuns: 150 },
    );
    t.pass(name);
  }
});

t.test('damage under a checksum that fits is refused in one sentence, too', async (t) => {
  for (const name of ['legacy.p12', 'modern.p12'] as const) {
    const file = opensslFile(name);
    await fc.assert(
      fc.asyncProperty(damage, async (one) => {
        await endsInOneSentence(sealedAgain(file, (content) => damaged(content, one)));
      }),
      { numRuns: 150 },
    );
    t.pass(name);
  }
});

async function endsInOneSentence(bytes: Buffer): Promise<void> {
  try {
    serverPair(search(await readKeyMaterial({ name: 'FILE', bytes }, async () => 'secret')));
  } catch (error) {
    if (!(error instanceof StartProblem)) throw error;
    if (!/^[^\n]+[^.\n]\.$/.test(error.message)) throw error;
  }
}

/** PKCS#12 with changed content, and a MAC that fits the change. */
function sealedAgain(file: Buffer, change: (content: Buffer) => Buffer): Buffer {
  const pfx = forge.asn1.fromDer(file.toString('latin1'));
  const [, safe = pfx, mac = pfx] = childrenOf(pfx);
  const [, wrapped = pfx] = childrenOf(safe);
  const [octets = pfx] = childrenOf(wrapped);
  const [digestInfo = pfx, salt = pfx] = childrenOf(mac);
  const [, digest = pfx] = childrenOf(digestInfo);
  octets.value = change(Buffer.from(`${octets.value}`, 'latin1')).toString('latin1');
  const isOld = `${digest.value}`.length === 20;
  const md = isOld ? forge.md.sha1.create() : forge.md.sha256.create();
  const saltBytes = forge.util.createBuffer(`${salt.value}`);
  // 16 rounds, as in make.sh.
  const key = forge.pkcs12.generateKey('secret', saltBytes, 3, 16, isOld ? 20 : 32, md);
  const hmac = forge.hmac.create();
  hmac.start(isOld ? 'sha1' : 'sha256', key);
  hmac.update(octets.value);
  digest.value = hmac.digest().getBytes();
  return bytesOf(pfx);
}
