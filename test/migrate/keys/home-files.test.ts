// The keys and the settings of a whole network of the peer, and a controller's PKI that opens them.

import { join } from 'node:path';
import t from 'tap';
import type { HomeFiles } from '../../../src/migrate/keys/home-files.ts';
import { openAuthority } from '../../../src/pki/authority/authority.ts';
import { createSigner, createVerifier } from '../../../src/pki/tokens/signer.ts';
import { keyToPem, toPem } from '../../../src/pki/x509/pem.ts';
import { loadConfig } from '../../../src/settings/config.ts';
import { pkiContext, startMs } from '../../pki/context.ts';
import { SimulatedDisk } from '../../simulated/disk.ts';
import {
  authority,
  configuration,
  ecKey,
  leaf,
  listener,
  network,
  networkFiles,
  rsaKey,
  taken,
} from './peer-network.ts';

const dayMs = 24 * 3600 * 1000;

/** Opens the PKI of a home with these files, as a start does. */
async function opened({ files }: HomeFiles, nowMs = startMs) {
  const disk = new SimulatedDisk(1);
  disk.makeDirectory('/home/pki');
  for (const [path, text] of files) disk.place(join('/home', path), Buffer.from(text));
  const config = loadConfig({
    flags: { home: '/home' },
    environment: {},
    directory: '/',
    cores: 1,
    readFile: (path) => `${disk.bytesOf(path)}`,
  });
  const authority = await openAuthority(
    pkiContext('/home', config.pki, {
      disk,
      clock: { now: () => nowMs },
      host: config.advertise.host,
      controlHost: config.ctrlAdvertise?.host,
    }),
  );
  return { authority, disk, config };
}

t.test('a network becomes the files of a home', async (t) => {
  const home = taken();
  t.same(
    [...home.files.keys()],
    [
      'config.json',
      'pki/migrated-ca.pem',
      'pki/migrated-issuer.pem',
      'pki/migrated-issuer.key',
      'pki/server.pem',
      'pki/server.key',
    ],
  );
  t.same(JSON.parse(home.files.get('config.json') ?? ''), {
    listen: '0.0.0.0:1280',
    advertise: 'ctrl.example.com:1280',
    ctrlListen: '0.0.0.0:6262',
    ctrlAdvertise: 'ctrl.example.com:6262',
    pki: {
      trustDomain: 'peer.example',
      controllerId: 'client',
      ca: 'pki/migrated-ca.pem',
      issuerCert: 'pki/migrated-issuer.pem',
      issuerKey: 'pki/migrated-issuer.key',
    },
  });
  const { root, signing, server } = network;
  t.equal(home.files.get('pki/migrated-ca.pem'), toPem([root.certificate, signing.certificate]));
  t.equal(home.files.get('pki/migrated-issuer.pem'), toPem([signing.certificate]));
  t.equal(home.files.get('pki/server.pem'), toPem([server.certificate, signing.certificate]));
  t.equal(home.files.get('pki/server.key'), keyToPem(server.key));
  t.equal(home.database, '/peer/ctrl.db');
  t.same(home.notices, []);
  t.same(home.stops, []);
});

t.test('a controller opens them, and verifies what the former key signed', async (t) => {
  const { authority, disk } = await opened(taken());
  const { server, signing } = network;
  t.equal(`${authority.server.certificate}`, `${server.certificate}`);
  t.equal(`${authority.issuer.certificate}`, `${signing.certificate}`);
  t.equal(authority.trustDomain, 'peer.example');
  t.same(authority.notices, []);
  t.notOk(disk.exists('/home/pki/root.key'), 'it has no CA of its own');
  const jwt = createSigner(server.key, 'old').signNow('{"sub":"x"}');
  t.same(createVerifier([['old', authority.server.certificate.publicKey]])(jwt), { sub: 'x' });
});

t.test('a server certificate that is over is renewed with the same key', async (t) => {
  const { signing } = network;
  const server = leaf('server', signing, { notAfterMs: startMs - 1000 });
  const files = networkFiles({
    'server.pem': toPem([server.certificate]),
    'server.key': keyToPem(server.key),
  });
  const home = taken({ files });
  t.match(home.notices, [
    /^identity: the certificate CN=server ended on .*: the first start replaces it .* same key/,
  ]);
  const { authority } = await opened(home);
  t.ok(authority.server.certificate.publicKey.equals(server.certificate.publicKey));
  t.ok(authority.server.certificate.verify(signing.certificate.publicKey));
  t.not(`${authority.server.certificate}`, `${server.certificate}`);
});

t.test('several CAs in a row, roots of others, and what stands twice', async (t) => {
  const { root } = network;
  const middle = authority('Peer Middle', root);
  const signing = authority('Peer Signing Below', middle);
  const server = leaf('server', signing);
  const other = authority('Other Root', 'self');
  const former = authority('Former Signing', root);
  const files = networkFiles({
    'server.pem': toPem([server.certificate]),
    'server.key': keyToPem(server.key),
    'signing.pem': toPem([signing.certificate]),
    'signing.key': keyToPem(signing.key),
    'ca.pem': toPem([root.certificate, middle.certificate, former.certificate]),
    'more.pem': toPem([other.certificate, root.certificate]),
  });
  const identity = { server_cert: 'server.pem', key: 'server.key', ca: 'more.pem' };
  const home = taken({ files, text: configuration({ web: [listener({ identity })] }) });
  const cas = [root, middle, former, other, signing].map(({ certificate }) => certificate);
  t.equal(home.files.get('pki/migrated-ca.pem'), toPem(cas));
  const chain = [signing.certificate, middle.certificate];
  t.equal(home.files.get('pki/migrated-issuer.pem'), toPem(chain));
  t.equal(home.files.get('pki/server.pem'), toPem([server.certificate, ...chain]));
  const { authority: open } = await opened(home);
  t.equal(open.anchors.length, 5);
  t.equal(`${open.server.certificate}`, `${server.certificate}`);
});

t.test('a root that another one signed, too, ends the chain as before', async (t) => {
  const { root, signing, server } = network;
  const other = authority('Other Root', 'self');
  const crossed = authority('Peer Root', other, { key: root.key });
  const bundle = [crossed, other, root].map(({ certificate }) => certificate);
  const home = taken({ files: networkFiles({ 'ca.pem': toPem(bundle) }) });
  t.equal(home.files.get('pki/server.pem'), toPem([server.certificate, signing.certificate]));
  const { authority: open } = await opened(home);
  t.equal(`${open.server.certificate}`, `${server.certificate}`);
});

t.test('a bundle without the root stays as it is, and is opened', async (t) => {
  const { signing, server } = network;
  const home = taken({ files: networkFiles({ 'ca.pem': toPem([signing.certificate]) }) });
  t.equal(home.files.get('pki/migrated-ca.pem'), toPem([signing.certificate]));
  t.equal(home.files.get('pki/server.pem'), toPem([server.certificate, signing.certificate]));
  const { authority: open } = await opened(home);
  t.equal(`${open.server.certificate}`, `${server.certificate}`);
  t.equal(`${open.issuer.certificate}`, `${signing.certificate}`);
});

t.test('a root that signs by itself', async (t) => {
  const { root } = network;
  const server = leaf('server', root);
  const files = networkFiles({
    'server.pem': toPem([server.certificate]),
    'server.key': keyToPem(server.key),
    'signing.pem': toPem([root.certificate]),
    'signing.key': keyToPem(root.key),
  });
  const home = taken({ files });
  t.equal(home.files.get('pki/migrated-issuer.pem'), toPem([root.certificate]));
  const { authority: open } = await opened(home);
  t.equal(`${open.server.certificate}`, `${server.certificate}`);
});

t.test('RSA keys, and keys inline', async (t) => {
  const root = authority('RSA Root', 'self', { key: rsaKey(2048) });
  const server = leaf('server', root, { key: rsaKey(2048) });
  const inline = (pem: string) => `pem:${pem}`;
  const text = configuration({
    identity: {
      cert: inline(toPem([server.certificate])),
      key: inline(keyToPem(server.key)),
      ca: 'file:///peer/ca.pem',
    },
    edge: {
      api: { address: 'ctrl.example.com:1280' },
      enrollment: {
        signingCert: { cert: inline(toPem([root.certificate])), key: inline(keyToPem(root.key)) },
      },
    },
  });
  const home = taken({ text, files: networkFiles({ 'ca.pem': toPem([root.certificate]) }) });
  t.equal(home.files.get('pki/server.key'), keyToPem(server.key));
  t.equal(home.settings.pki.trustDomain, 'peer.example');
  const { authority: open } = await opened(home);
  t.equal(`${open.server.certificate}`, `${server.certificate}`);
});

t.test('without its signing key a network keeps its server', async (t) => {
  const signingCert = { cert: 'signing.pem', key: 'pkcs11:///lib.so?pin=1234' };
  const edge = { api: { address: 'ctrl.example.com:1280' }, enrollment: { signingCert } };
  const home = taken({ text: configuration({ edge }), leaveOut: ['external-keys'] });
  t.match(home.stops, [
    {
      what: 'external-keys',
      text: /^edge\.enrollment\.signingCert\.key \(pkcs11:\) is held by a module/,
    },
  ]);
  t.notMatch(home.stops[0]?.text, /1234/);
  t.same(home.settings.pki, {
    trustDomain: 'peer.example',
    controllerId: 'client',
    ca: 'pki/migrated-ca.pem',
    serverCert: 'pki/migrated-server.pem',
    serverKey: 'pki/migrated-server.key',
  });
  const { authority: open } = await opened(home);
  t.equal(`${open.server.certificate}`, `${network.server.certificate}`);
  t.not(`${open.issuer.certificate}`, `${network.signing.certificate}`);
});

t.test('without its server key a network gets another one', async (t) => {
  const identity = { cert: 'client.pem', server_cert: 'server.pem', key: 'engine:x', ca: 'ca.pem' };
  const home = taken({ text: configuration({ identity }), leaveOut: ['external-keys'] });
  t.equal(home.stops.length, 1);
  t.notOk(home.files.has('pki/server.key'));
  const { authority: open } = await opened(home);
  t.ok(open.server.certificate.verify(network.signing.certificate.publicKey));
});

t.test('trust domains', async (t) => {
  const plain = { alternativeNames: [] };
  const root = authority('Plain Root', 'self', plain);
  const server = leaf('server', root, {
    alternativeNames: [{ type: 'dns', value: 'ctrl.example.com' }],
  });
  const files = networkFiles({
    'server.pem': toPem([server.certificate]),
    'client.pem': toPem([server.certificate]),
    'server.key': keyToPem(server.key),
    'signing.pem': toPem([root.certificate]),
    'signing.key': keyToPem(root.key),
    'ca.pem': toPem([root.certificate]),
  });
  const domain = (trustDomain?: string) =>
    taken({ files, text: configuration({ trustDomain }) }).settings.pki.trustDomain;
  t.equal(domain('spiffe://other.example/path'), 'other.example');
  t.equal(domain(), root.certificate.fingerprint.replaceAll(':', '').toLowerCase());
  t.throws(() => domain('Capitals.example'), /The trust domain of the network is "Capitals/);
  const named = taken({ text: configuration({ trustDomain: 'ignored.example' }) });
  t.equal(named.settings.pki.trustDomain, 'peer.example');
  t.same(named.notices, []);

  const { signing } = network;
  const client = leaf('client', signing, {
    alternativeNames: [{ type: 'url', value: 'spiffe://their.example/controller/one' }],
  });
  const differing = taken({ files: networkFiles({ 'client.pem': toPem([client.certificate]) }) });
  t.equal(differing.settings.pki.trustDomain, 'peer.example');
  t.match(differing.notices, [/trust domain peer\.example, but names .* are of their\.example/]);
});

t.test('dates of the signing CA and of CAs in the bundle', async (t) => {
  const { root } = network;
  const soon = { notAfterMs: startMs + 10 * dayMs };
  const signing = authority('Ending', root, soon);
  const server = leaf('server', signing, soon);
  const old = authority('Old Root', 'self', { notAfterMs: startMs - 1000 });
  const files = networkFiles({
    'server.pem': toPem([server.certificate]),
    'server.key': keyToPem(server.key),
    'signing.pem': toPem([signing.certificate]),
    'signing.key': keyToPem(signing.key),
    'ca.pem': toPem([root.certificate, old.certificate]),
  });
  const { notices } = taken({ files });
  t.match(notices.join('\n'), /signingCert: the certificate CN=Ending ends soon, on /);
  t.match(notices.join('\n'), /identity: the certificate CN=server ends soon, on /);
  t.match(notices.join('\n'), /ca\.pem\): the certificate CN=Old Root ended on /);
  const early = taken({ nowMs: startMs - 10 * dayMs });
  t.match(
    early.notices.join('\n'),
    /CN=server is valid only from .*: clients refuse it until then/,
  );
  t.same(taken({ files: networkFiles({ 'more.key': keyToPem(ecKey()) }) }).notices, []);
});
