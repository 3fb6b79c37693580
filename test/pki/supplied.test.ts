// Keys and certificates of the user's own.

import { createPrivateKey, generateKeyPairSync } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { openAuthority } from '../../src/pki/authority/authority.ts';
import { homesIn, pkiContext } from './context.ts';

/** A second network's PKI stands for the user's own files. */
async function foreignFiles(home: string): Promise<Record<string, string>> {
  await openAuthority(pkiContext(home, { trustDomain: 'theirs.example' }));
  const path = (name: string): string => join(home, 'pki', name);
  return {
    serverCert: path('server.pem'),
    serverKey: path('server.key'),
    ca: path('ca.pem'),
    issuerCert: path('intermediate.pem'),
    issuerKey: path('intermediate.key'),
  };
}

t.test('a supplied server certificate stands beside our own CA', async (t) => {
  const home = homesIn(t.testdir());
  const { serverCert, serverKey, ca } = await foreignFiles(home());
  const ours = home();
  const authority = await openAuthority(pkiContext(ours, { serverCert, serverKey, ca }));
  t.equal(authority.server.chain.map(String).join(''), readFileSync(serverCert ?? '', 'utf8'));
  t.equal(authority.anchors.length, 2);
  t.not(authority.trustDomain, 'theirs.example');
  t.equal(readFileSync(join(ours, 'pki/ca.pem'), 'utf8'), authority.anchors.map(String).join(''));
  t.same(authority.notices, []);
  const elsewhere = pkiContext(ours, { serverCert, serverKey, ca }, { host: 'else.example' });
  t.match((await openAuthority(elsewhere)).notices, [
    /does not name the advertised host else.example/,
  ]);
});

t.test('a supplied issuer makes the server certificate too', async (t) => {
  const home = homesIn(t.testdir());
  const { ca, issuerCert, issuerKey } = await foreignFiles(home());
  const ours = home();
  const context = pkiContext(ours, { ca, issuerCert, issuerKey });
  const authority = await openAuthority(context);
  t.equal(authority.trustDomain, 'theirs.example');
  t.ok(authority.server.certificate.verify(authority.issuer.certificate.publicKey));
  t.equal(authority.server.chain.length, 2);
  t.equal(authority.anchors.length, 1);
  const again = await openAuthority(context);
  t.equal(String(again.server.certificate), String(authority.server.certificate));

  t.test('and a home that leaves it gets a CA of its own', async (t) => {
    const own = await openAuthority(pkiContext(ours));
    t.not(own.trustDomain, 'theirs.example');
    t.ok(own.server.certificate.verify(own.issuer.certificate.publicKey));
    t.ok(own.server.key.equals(authority.server.key));
    t.test('and one that comes back keeps both', async (t) => {
      const both = await openAuthority(context);
      t.equal(both.anchors.length, 2);
      t.equal(both.intermediates.length, 2);
      t.equal(both.trustDomain, 'theirs.example');
    });
  });
});

t.test('a server certificate that signs itself is presented as it is', async (t) => {
  const home = homesIn(t.testdir());
  const theirs = home();
  const { ca } = await foreignFiles(theirs);
  const serverKey = join(theirs, 'pki/root.key');
  const context = pkiContext(home(), { ca, serverCert: ca, serverKey });
  const { server } = await openAuthority(context);
  t.equal(server.chain.map(String).join(''), readFileSync(ca ?? '', 'utf8'));
});

t.test('a root as issuer', async (t) => {
  const home = homesIn(t.testdir());
  const theirs = home();
  const { ca } = await foreignFiles(theirs);
  const issuerKey = join(theirs, 'pki/root.key');
  const authority = await openAuthority(pkiContext(home(), { ca, issuerCert: ca, issuerKey }));
  t.same(authority.issuer.chain, []);
  t.equal(authority.server.chain.length, 1);
  t.ok(authority.server.certificate.verify(authority.issuer.certificate.publicKey));
  t.equal(authority.trustDomain, 'theirs.example');
});

t.test('pki.ca may hold CAs below a root, with it or without it', async (t) => {
  const home = homesIn(t.testdir());
  const theirs = home();
  const files = await foreignFiles(theirs);
  const read = (name: string) => readFileSync(join(theirs, 'pki', name), 'utf8');
  const [root, intermediate] = [read('root.pem'), read('intermediate.pem')];
  // As other controllers keep it: the root as well.
  const serverCert = join(theirs, 'chain.pem');
  writeFileSync(serverCert, read('server.pem') + root);
  const issuerCert = join(theirs, 'issuer.pem');
  writeFileSync(issuerCert, intermediate + root);
  for (const bundle of [root + intermediate, intermediate + root, intermediate]) {
    const ca = join(theirs, 'bundle.pem');
    writeFileSync(ca, bundle);
    const ours = home();
    const settings = { ...files, serverCert, issuerCert, ca };
    const { server, issuer, anchors, intermediates, trustDomain } = await openAuthority(
      pkiContext(ours, settings),
    );
    t.equal(server.chain.map(String).join(''), read('server.pem'));
    t.equal(issuer.chain.map(String).join(''), intermediate);
    t.equal(anchors.map(String).join(''), bundle);
    t.equal(readFileSync(join(ours, 'pki/ca.pem'), 'utf8'), bundle);
    t.equal(trustDomain, 'theirs.example');
    t.same(intermediates.map(String), [intermediate], 'nothing above the bundle is trusted');
    const { issuerKey } = files;
    const made = await openAuthority(pkiContext(home(), { issuerCert, issuerKey, ca }));
    t.equal(made.server.chain.length, 2, 'a certificate of our own below it');
  }
});

t.test('what does not fit is refused in one sentence', async (t) => {
  const home = homesIn(t.testdir());
  const theirs = home();
  const files = await foreignFiles(theirs);
  const { serverCert, serverKey, ca, issuerCert, issuerKey } = files;
  const other = await foreignFiles(home());
  const put = (name: string, text: string): string => {
    const path = join(theirs, name);
    writeFileSync(path, text);
    return path;
  };
  const key = createPrivateKey(readFileSync(serverKey ?? ''));
  const locked = put(
    'locked.key',
    key.export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'x' }).toString(),
  );
  const pem = { type: 'pkcs8', format: 'pem' } as const;
  const ed25519 = put('ed.key', generateKeyPairSync('ed25519').privateKey.export(pem).toString());
  const odd = generateKeyPairSync('ec', { namedCurve: 'secp256k1' });
  const oddKey = put('odd.key', odd.privateKey.export(pem).toString());
  const cases: readonly (readonly [Record<string, string | undefined>, RegExp])[] = [
    [{ serverCert }, /^pki\.serverCert is given without pki\.serverKey\.$/],
    [{ issuerKey, ca }, /^pki\.issuerKey is given without pki\.issuerCert\.$/],
    [{ serverCert, serverKey }, /^pki\.serverCert is given without pki\.ca/],
    [{ issuerCert, issuerKey }, /^pki\.issuerCert is given without pki\.ca/],
    [{ ca }, /^pki\.ca is given without/],
    [
      { serverCert: '/nowhere', serverKey, ca },
      /^pki\.serverCert: \/nowhere cannot be read: there is/,
    ],
    [{ serverCert: theirs, serverKey, ca }, /^pki\.serverCert: .* it is a directory\.$/],
    [
      { serverCert, serverKey: other['serverKey'], ca },
      /^pki\.serverKey is not the private key of/,
    ],
    [{ serverCert, serverKey: locked, ca }, /^pki\.serverKey: the key has a passphrase/],
    [{ serverCert, serverKey: ed25519, ca }, /^pki\.serverKey: a key of kind ed25519/],
    [{ serverCert, serverKey: oddKey, ca }, /^pki\.serverKey: the curve secp256k1/],
    [{ serverCert, serverKey, ca: other['ca'] }, /^pki\.serverCert does not lead to .* pki\.ca\.$/],
    [{ issuerCert: serverCert, issuerKey: serverKey, ca }, /^pki\.issuerCert is not .* of a CA\.$/],
    [{ serverCert, serverKey, ca: serverCert }, /^pki\.ca holds a certificate that is not/],
  ];
  for (const [settings, message] of cases) {
    const start = openAuthority(pkiContext(home(), settings));
    await t.rejects(start, { name: 'PkiProblem', message });
  }
});
