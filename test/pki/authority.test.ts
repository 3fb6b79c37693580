// The controller's own PKI: what the first start makes, what later starts find, renew or refuse.

import { execFileSync } from 'node:child_process';
import { createPublicKey, type X509Certificate } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { connect, createServer } from 'node:tls';
import t from 'tap';
import { openAuthority } from '../../src/pki/authority/authority.ts';
import { PkiProblem } from '../../src/pki/problem.ts';
import { toPem } from '../../src/pki/x509/pem.ts';
import { homesIn, pkiContext, startMs } from './context.ts';

const dayMs = 24 * 3600 * 1000;

function usages(certificate: X509Certificate): string[] {
  return [...(certificate.keyUsage ?? [])];
}

t.test('the first start makes root, intermediate, server certificate and keys', async (t) => {
  const home = t.testdir();
  const authority = await openAuthority(pkiContext(home));
  const directory = join(home, 'pki');
  t.same(readdirSync(directory).sort(), [
    'ca-chain.pem',
    'ca.pem',
    'intermediate.key',
    'intermediate.pem',
    'root.key',
    'root.pem',
    'server.key',
    'server.pem',
  ]);
  t.equal(statSync(directory).mode & 0o777, 0o700);
  for (const name of readdirSync(directory)) {
    t.equal(statSync(join(directory, name)).mode & 0o777, 0o600, name);
  }

  const { server, issuer, anchors } = authority;
  const [root] = anchors;
  t.ok(root);
  if (root === undefined) return;
  t.equal(anchors.length, 1);
  t.ok(root.ca && issuer.certificate.ca && !server.certificate.ca);
  t.ok(root.verify(root.publicKey));
  t.ok(issuer.certificate.checkIssued(root) && issuer.certificate.verify(root.publicKey));
  t.ok(server.certificate.checkIssued(issuer.certificate));
  t.ok(server.certificate.verify(issuer.certificate.publicKey));
  t.same(usages(server.certificate), ['1.3.6.1.5.5.7.3.1'], 'serverAuth and nothing else');
  t.same(
    server.certificate.subjectAltName,
    'DNS:edge.example.com, DNS:localhost, IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1',
  );
  t.equal(root.subjectAltName, `URI:spiffe://${authority.trustDomain}`);
  t.equal(issuer.certificate.subjectAltName, root.subjectAltName);
  t.match(authority.trustDomain, /^[0-9a-f]{32}$/);
  t.same(authority.notices, []);

  const years = (certificate: X509Certificate): number =>
    (Date.parse(certificate.validTo) - startMs) / (365.25 * dayMs);
  t.match([root, issuer.certificate].map(years).map(Math.round), [10, 10]);
  t.equal(Math.round(years(server.certificate)), 1);
  t.ok(Date.parse(server.certificate.validFrom) <= startMs - 60_000, 'backdated by a minute');

  for (const key of [server.key, issuer.key, authority.firstTokenKey]) {
    t.equal(key.asymmetricKeyDetails?.namedCurve, 'prime256v1');
  }
  t.equal(readFileSync(join(directory, 'ca.pem'), 'utf8'), root.toString());
  t.equal(
    readFileSync(join(directory, 'server.pem'), 'utf8'),
    toPem([server.certificate, issuer.certificate]),
  );
  t.equal(readFileSync(join(directory, 'ca-chain.pem'), 'utf8'), toPem([issuer.certificate, root]));
});

t.test('openssl verifies the chain and the names', async (t) => {
  const home = t.testdir();
  await openAuthority(pkiContext(home));
  const directory = join(home, 'pki');
  const verify = (...more: string[]): string =>
    execFileSync(
      'openssl',
      ['verify', '-x509_strict', '-purpose', 'sslserver', '-CAfile', 'ca.pem'].concat(
        ['-untrusted', 'server.pem'],
        more,
        'server.pem',
      ),
      { cwd: directory, encoding: 'utf8', stdio: 'pipe' },
    );
  try {
    execFileSync('openssl', ['version'], { stdio: 'pipe' });
  } catch {
    t.comment('there is no openssl here');
    return;
  }
  t.match(verify('-verify_hostname', 'edge.example.com'), /OK/);
  t.match(verify('-verify_hostname', 'localhost'), /OK/);
  t.match(verify('-verify_ip', '127.0.0.1'), /OK/);
  t.match(verify('-verify_ip', '::1'), /OK/);
  t.throws(() => verify('-verify_hostname', 'elsewhere.example.com'));
});

t.test('a client that trusts ca.pem and nothing else connects', async (t) => {
  const home = t.testdir();
  await openAuthority(pkiContext(home));
  const read = (name: string): string => readFileSync(join(home, 'pki', name), 'utf8');
  const server = createServer({ cert: read('server.pem'), key: read('server.key') }, (socket) => {
    socket.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => server.close());
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  await new Promise<void>((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port, ca: read('ca.pem') }, () => {
      t.ok(socket.authorized);
      socket.end();
      resolve();
    });
    socket.on('error', reject);
  });
});

t.test('a later start reads the same and writes nothing', async (t) => {
  const home = t.testdir();
  const first = await openAuthority(pkiContext(home));
  const files = (): string[] =>
    readdirSync(join(home, 'pki')).map((name) => {
      const { ino, mtimeMs } = statSync(join(home, 'pki', name));
      return `${name} ${ino} ${mtimeMs}`;
    });
  const before = files();
  const second = await openAuthority(
    pkiContext(home, {}, { clock: { now: () => startMs + dayMs } }),
  );
  t.same(files(), before);
  t.equal(second.trustDomain, first.trustDomain);
  t.ok(second.server.key.equals(first.server.key));
  t.same(second.server.chain.map(String), first.server.chain.map(String));
  t.same(second.intermediates.map(String), first.intermediates.map(String));
});

t.test('an offline root is fine', async (t) => {
  const home = t.testdir();
  await openAuthority(pkiContext(home));
  rmSync(join(home, 'pki/root.key'));
  await t.resolves(openAuthority(pkiContext(home)));
});

t.test('RSA keys by pki.keyType', async (t) => {
  const authority = await openAuthority(pkiContext(t.testdir(), { keyType: 'rsa-2048' }));
  for (const { key, certificate } of [authority.server, authority.issuer]) {
    t.equal(key.asymmetricKeyDetails?.modulusLength, 2048);
    t.ok(certificate.checkPrivateKey(key));
  }
  t.ok(authority.server.certificate.verify(createPublicKey(authority.issuer.key)));
  t.equal(authority.firstTokenKey.asymmetricKeyType, 'ec');
});

t.test('addresses as advertised hosts', async (t) => {
  const nextHome = homesIn(t.testdir());
  for (const [host, names] of [
    ['192.0.2.7', /^IP Address:192.0.2.7, DNS:localhost/],
    ['[2001:db8::5]', /^IP Address:2001:DB8:0:0:0:0:0:5, DNS:localhost/],
    ['localhost', /^DNS:localhost, IP Address:127.0.0.1, IP/],
    ['bücher.example', /^DNS:xn--bcher-kva.example, DNS:localhost/],
  ] as const) {
    const context = pkiContext(nextHome(), {}, { host });
    const authority = await openAuthority(context);
    t.match(authority.server.certificate.subjectAltName, names);
    const again = await openAuthority(context);
    t.equal(
      String(again.server.certificate),
      String(authority.server.certificate),
      `${host} is kept`,
    );
  }
  await t.rejects(openAuthority(pkiContext(nextHome(), {}, { host: 'a b' })), PkiProblem);
});

t.test('the server certificate is renewed with its key', async (t) => {
  const home = t.testdir();
  const first = await openAuthority(pkiContext(home));
  const fingerprints = new Set([first.server.certificate.fingerprint256]);
  const later = { now: () => startMs + 336 * dayMs };

  await t.test('near its end', async (t) => {
    const renewed = await openAuthority(pkiContext(home, {}, { clock: later }));
    fingerprints.add(renewed.server.certificate.fingerprint256);
    t.equal(fingerprints.size, 2);
    t.ok(renewed.server.key.equals(first.server.key));
    t.equal(String(renewed.issuer.certificate), String(first.issuer.certificate));
  });
  await t.test('for another advertised host', async (t) => {
    const moved = await openAuthority(pkiContext(home, {}, { clock: later, host: 'new.example' }));
    fingerprints.add(moved.server.certificate.fingerprint256);
    t.equal(fingerprints.size, 3);
    t.ok(moved.server.certificate.checkHost('new.example'));
    t.ok(moved.server.key.equals(first.server.key));
  });
  await t.test('never past the end of its CA', async (t) => {
    const late = { now: () => startMs + 3630 * dayMs };
    const last = await openAuthority(pkiContext(home, {}, { clock: late }));
    t.equal(last.server.certificate.validTo, first.issuer.certificate.validTo);
    t.ok(last.notices.some((notice) => notice.startsWith('The certificate of the issuing CA')));
  });
});

t.test('trust domains', async (t) => {
  const nextHome = homesIn(t.testdir());
  const home = nextHome();
  const first = await openAuthority(pkiContext(home, { trustDomain: 'net.example' }));
  t.equal(first.trustDomain, 'net.example');
  t.equal(first.controllerId, 'net.example');
  t.match(await openAuthority(pkiContext(home, { controllerId: 'ctrl-1' })), {
    trustDomain: 'net.example',
    controllerId: 'ctrl-1',
  });
  t.equal((await openAuthority(pkiContext(home))).trustDomain, 'net.example', 'the CA remembers');
  await t.rejects(openAuthority(pkiContext(home, { trustDomain: 'other.example' })), {
    name: 'PkiProblem',
    message: 'pki.trustDomain is "other.example", but the CA is that of "net.example".',
  });
  await t.rejects(openAuthority(pkiContext(nextHome(), { trustDomain: 'Net/..' })), PkiProblem);
  await t.rejects(
    openAuthority(pkiContext(nextHome(), { trustDomain: 'a'.repeat(256) })),
    PkiProblem,
  );
});

t.test('a first start that was cut short starts again', async (t) => {
  const home = t.testdir();
  await openAuthority(pkiContext(home));
  for (const name of readdirSync(join(home, 'pki'))) {
    if (name !== 'root.key' && name !== 'root.pem') rmSync(join(home, 'pki', name));
  }
  writeFileSync(join(home, 'pki/intermediate.key.new'), 'half a k');
  const authority = await openAuthority(pkiContext(home));
  t.equal(readFileSync(join(home, 'pki/root.pem'), 'utf8'), String(authority.anchors[0]));
});

t.test('damage is refused in one sentence', async (t) => {
  const nextHome = homesIn(t.testdir());
  const cases: readonly (readonly [string, (directory: string) => void, RegExp])[] = [
    [
      'lost CA',
      (d) => rmSync(join(d, 'intermediate.pem')),
      /intermediate\.pem is missing.*put it back/,
    ],
    ['lost CA key', (d) => rmSync(join(d, 'intermediate.key')), /intermediate\.key.*no such file/],
    ['lost server key', (d) => rmSync(join(d, 'server.key')), /server\.key is missing/],
    [
      'keys mixed up',
      (d) => writeFileSync(join(d, 'server.key'), readFileSync(join(d, 'intermediate.key'))),
      /server\.key is not the private key of server\.pem/,
    ],
    ['garbage', (d) => writeFileSync(join(d, 'server.pem'), 'x'), /server\.pem: there is no PEM/],
    [
      'a bad certificate',
      (d) =>
        writeFileSync(
          join(d, 'root.pem'),
          '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n',
        ),
      /root\.pem: certificate 1 of 1 is damaged/,
    ],
    [
      'another root',
      (d) => writeFileSync(join(d, 'root.pem'), readFileSync(join(d, 'server.pem'))),
      /intermediate\.pem was not issued by root\.pem/,
    ],
    ['a bad token key', (d) => writeFileSync(join(d, 'token.key'), ''), /token\.key: there is no/],
    [
      'a huge file',
      (d) => writeFileSync(join(d, 'root.pem'), Buffer.alloc(1024 * 1024 + 1)),
      /root\.pem.*too long/,
    ],
  ];
  for (const [name, harm, message] of cases) {
    const home = nextHome();
    await openAuthority(pkiContext(home));
    harm(join(home, 'pki'));
    await t.rejects(openAuthority(pkiContext(home)), { name: 'PkiProblem', message }, name);
  }
});

t.test('a directory that cannot be made is refused in one sentence', async (t) => {
  const home = t.testdir({ pki: 'a file' });
  await t.rejects(openAuthority(pkiContext(home)), { name: 'PkiProblem', message: /cannot be/ });
});
