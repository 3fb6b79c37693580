// Keys and certificates that cannot be taken over, or only with a word about them: each is named.

import { X509Certificate } from 'node:crypto';
import t from 'tap';
import { keyToPem, toPem } from '../../../src/pki/x509/pem.ts';
import {
  authority,
  configuration,
  ecKey,
  leaf,
  network,
  networkFiles,
  refusals,
  rsaKey,
  taken,
} from './peer-network.ts';

const passphrase = 'unknown-Passphrase';

function encrypted(type: 'pkcs8' | 'sec1'): string {
  const cipher = 'aes-256-cbc';
  return `${ecKey().export({ format: 'pem', type, cipher, passphrase })}`;
}

t.test('what refuses a migration', async (t) => {
  const { root, signing, server } = network;
  const weak = leaf('weak', signing, { key: rsaKey(1024) });
  const weakSigning = authority('Weak', root, { key: rsaKey(1024) });
  const noCa = leaf('no ca', root);
  const cases: readonly (readonly [Readonly<Record<string, string | undefined>>, RegExp])[] = [
    [
      { 'server.key': keyToPem(ecKey()) },
      /^identity\.key \(\/peer\/server\.key\) is not the private key of identity\.server_cert/,
    ],
    [
      { 'signing.key': keyToPem(ecKey()) },
      /^edge\.enrollment\.signingCert\.key .* is not the private key of edge\..*\.cert/,
    ],
    [{ 'server.key': encrypted('pkcs8') }, /^identity\.key .*: the key has a passphrase/],
    [{ 'server.key': encrypted('sec1') }, /^identity\.key .*: the key has a passphrase/],
    [{ 'signing.key': encrypted('pkcs8') }, /^edge\..*\.key .*: the key has a passphrase/],
    [
      { 'server.pem': toPem([weak.certificate]), 'server.key': keyToPem(weak.key) },
      /^identity: .* CN=weak cannot serve TLS: its RSA key has 1024 bits/,
    ],
    [
      { 'signing.pem': toPem([weakSigning.certificate]), 'signing.key': keyToPem(weakSigning.key) },
      /^edge\..*: the certificate CN=Weak cannot sign others: its RSA key has 1024 bits/,
    ],
    [
      { 'signing.pem': toPem([noCa.certificate]), 'signing.key': keyToPem(noCa.key) },
      /^edge\..*: the certificate CN=no ca is not that of a CA/,
    ],
    [
      { 'server.pem': undefined },
      /^identity\.server_cert \(\/peer\/server\.pem\): it cannot be read: there is no such file\.$/,
    ],
    [{ 'signing.key': undefined }, /^edge\..*\.key .*: it cannot be read: there is no such file/],
    [{ 'ca.pem': undefined }, /^identity\.ca \(\/peer\/ca\.pem\): it cannot be read/],
    [{ 'ca.pem': 'nothing' }, /^identity\.ca .*: there is no PEM certificate in it/],
    [{ 'server.pem': 'nothing' }, /^identity\.server_cert .*: there is no PEM certificate in it/],
    [{ 'server.key': toPem([server.certificate]) }, /^identity\.key .*: .*no readable PEM private/],
    [
      { 'ca.pem': toPem(Array.from({ length: 501 }, () => root.certificate)) },
      /^identity\.ca .*: there are more than 500 certificates in it/,
    ],
  ];
  for (const [changes, sentence] of cases) {
    const found = refusals({ files: networkFiles(changes) });
    t.ok(
      found.some((one) => sentence.test(one)),
      `${sentence} is one of ${found.join(' | ')}`,
    );
    t.notMatch(found.join(), /PRIVATE KEY|unknown-Passphrase/);
  }
});

t.test('all faults are told at once', async (t) => {
  const files = networkFiles({ 'server.key': keyToPem(ecKey()), 'signing.key': undefined });
  t.equal(refusals({ files }).length, 2);
});

t.test('what is only named', async (t) => {
  const { root, signing } = network;
  const elsewhere = leaf('elsewhere', signing, {
    alternativeNames: [{ type: 'dns', value: 'other.example.com' }],
  });
  const foreign = leaf('foreign', authority('Foreign', 'self'));
  const publicRoot = authority('Public Root', 'self');
  const bought = leaf('bought', publicRoot);
  const weak = authority('Weak Root', 'self', { key: rsaKey(1024) });
  const pair = ({ certificate, key }: typeof elsewhere) => ({
    'server.pem': toPem([certificate]),
    'server.key': keyToPem(key),
  });
  const cases: readonly (readonly [Readonly<Record<string, string | undefined>>, RegExp])[] = [
    [
      pair(elsewhere),
      /CN=elsewhere does not name the advertised host ctrl\.example\.com: the first/,
    ],
    [pair(foreign), /CN=foreign leads to no CA of the bundle, .*: the first start replaces it/],
    [
      { ...pair(bought), 'ca.pem': toPem([root.certificate, publicRoot.certificate]) },
      /CN=bought is of the CA CN=Public Root, which is not that of the signing certificate/,
    ],
    [{ 'ca.pem': toPem([root.certificate, weak.certificate]) }, /CN=Weak Root is too weak/],
    [
      { 'ca.pem': toPem([root.certificate, elsewhere.certificate]) },
      /CN=elsewhere is not that of a CA, so it is no part of the bundle/,
    ],
    [{ 'ca.pem': toPem([signing.certificate]) }, /CN=server leads to no root of the bundle of CAs/],
    [{ 'client.pem': undefined }, /^identity\.cert \(\/peer\/client\.pem\): it cannot be read/],
  ];
  for (const [changes, sentence] of cases) {
    const { notices } = taken({ files: networkFiles(changes) });
    t.match(notices, [sentence]);
    t.equal(notices.length, 1);
  }
});

t.test('the CA of a public certificate is no part of the bundle', async (t) => {
  const { root, signing } = network;
  const publicRoot = authority('Public Root', 'self', { alternativeNames: [] });
  const publicCa = authority('Public CA', publicRoot, { alternativeNames: [] });
  const browser = leaf('browser', publicCa);
  const own = leaf('own browser', signing);
  const files = networkFiles({
    'ca.pem': toPem([publicRoot.certificate, root.certificate]),
    'browser.pem': toPem([browser.certificate, publicCa.certificate]),
    'own.pem': toPem([own.certificate]),
  });
  const identity = {
    server_cert: 'server.pem',
    key: 'server.key',
    ca: 'ca.pem',
    alt_server_certs: [
      { server_cert: 'browser.pem', server_key: 'browser.key' },
      { server_cert: 'own.pem', server_key: 'own.key' },
    ],
  };
  const home = taken({ files, text: configuration({ identity }) });
  const bundle = home.files.get('pki/migrated-ca.pem') ?? '';
  t.equal(bundle, toPem([root.certificate, signing.certificate]));
  t.notOk(new X509Certificate(bundle).checkIssued(publicRoot.certificate));
  t.match(home.notices, [/^The CA CN=Public Root issues a certificate of alt_server_certs alone/]);
  t.match(home.placeless, [
    { path: 'identity.alt_server_certs[0].server_cert', value: 'browser.pem' },
    { path: 'identity.alt_server_certs[0].server_key', value: 'browser.key' },
    { path: 'identity.alt_server_certs[1].server_cert', value: 'own.pem' },
  ]);
});

t.test('keys that modules hold', async (t) => {
  const secret = 'pkcs11:///usr/lib/module.so?pin=7391';
  const identity = { server_cert: 'server.pem', key: secret, ca: 'ca.pem' };
  const signingCert = { cert: 'signing.pem', key: 'engine:name' };
  const edge = { api: { address: 'ctrl.example.com:1280' }, enrollment: { signingCert } };
  const text = configuration({ identity, edge });
  const home = taken({ text });
  t.same(
    home.stops.map(({ what }) => what),
    ['external-keys', 'external-keys'],
  );
  t.notMatch(JSON.stringify(home.stops), /7391/);
  const found = refusals({ text, leaveOut: ['external-keys'] });
  t.match(found, [/^Modules hold the server key and the signing key/]);
  const bundle = { server_cert: 'server.pem', key: 'server.key', ca: secret };
  const [sentence = ''] = refusals({ text: configuration({ identity: bundle }) });
  t.match(sentence, /^identity\.ca \(pkcs11:\): a module does not give it away/);
});
