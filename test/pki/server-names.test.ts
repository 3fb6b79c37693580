// The names of our own server certificate: a renewal keeps those of the certificate before, as one
// that came from another controller has more than we would give it.

import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { openAuthority } from '../../src/pki/authority/authority.ts';
import type { AlternativeName } from '../../src/pki/authority/issue.ts';
import { keyToPem, toPem } from '../../src/pki/x509/pem.ts';
import { homesIn, pkiContext, startMs } from './context.ts';
import { type ForeignPair, foreignPair } from './foreign-pair.ts';

const dayMs = 24 * 3600 * 1000;

/** A home with the server certificate and the signing CA of another controller. */
async function movedHome(t: Test, alternativeNames: readonly AlternativeName[]) {
  const home = homesIn(t.testdir())();
  const pair = await foreignPair('ec-p256', { alternativeNames });
  const { key, certificate, intermediate, intermediateKey, root } = pair;
  const directory = join(home, 'pki');
  mkdirSync(directory, { recursive: true });
  const put = (name: string, text: string): string => {
    const path = join(directory, name);
    writeFileSync(path, text);
    return path;
  };
  put('server.pem', toPem([certificate, intermediate, root]));
  put('server.key', keyToPem(key));
  const settings = {
    issuerCert: put('issuer.pem', toPem([intermediate])),
    issuerKey: put('issuer.key', keyToPem(intermediateKey)),
    ca: put('bundle.pem', toPem([root, intermediate])),
  };
  const open = (ms: number, changes: { readonly host?: string } = {}) =>
    openAuthority(pkiContext(home, settings, { clock: { now: () => startMs + ms }, ...changes }));
  return { ...pair, directory, open };
}

/** Checks what every renewal keeps. */
function isRenewed(
  t: Test,
  { key, certificate, intermediate }: ForeignPair,
  { server }: Awaited<ReturnType<typeof openAuthority>>,
): void {
  t.not(server.certificate.fingerprint256, certificate.fingerprint256);
  t.ok(server.key.equals(key), 'the same key');
  t.ok(server.certificate.verify(intermediate.publicKey), 'by the CA of before');
}

t.test('a renewed certificate has the names of the one before, each once', async (t) => {
  const moved = await movedHome(t, [
    { type: 'dns', value: 'LOCALHOST' },
    { type: 'url', value: 'spiffe://theirs.example/controller/instance-1' },
    { type: 'dns', value: 'edge.example.com' },
    { type: 'dns', value: '*.example.org' },
    { type: 'email', value: 'operator@example.com' },
    { type: 'ip', value: '192.0.2.7' },
    { type: 'ip', value: '::1' },
    { type: 'ip', value: '2001:db8::7' },
  ]);
  const first = await moved.open(0);
  t.equal(first.server.certificate.fingerprint256, moved.certificate.fingerprint256, 'as it is');
  t.same(first.notices, []);
  const names =
    'DNS:edge.example.com, DNS:localhost, IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1, ' +
    'URI:spiffe://theirs.example/controller/instance-1, DNS:*.example.org, ' +
    'IP Address:192.0.2.7, IP Address:2001:DB8:0:0:0:0:0:7';
  for (const years of [1, 2]) {
    const renewed = await moved.open(years * 340 * dayMs);
    isRenewed(t, moved, renewed);
    t.equal(renewed.server.certificate.subjectAltName, names, `after ${years} years`);
  }
});

t.test('a certificate that lacks an advertised host is replaced, with its names', async (t) => {
  const moved = await movedHome(t, [
    { type: 'url', value: 'spiffe://theirs.example/controller/a' },
  ]);
  const renewed = await moved.open(0, { host: 'new.example' });
  isRenewed(t, moved, renewed);
  t.match(renewed.server.certificate.subjectAltName, /^DNS:new\.example, .+, URI:spiffe:\S+\/a$/);
  t.same(renewed.notices, []);
  rmSync(join(moved.directory, 'server.pem'));
  const without = await moved.open(0);
  isRenewed(t, moved, without);
  t.notMatch(without.server.certificate.subjectAltName, /spiffe/, 'without the former one');
});

t.test('so many names are kept that the certificate stays one that clients take', async (t) => {
  const label = 'x'.repeat(60);
  const long = { type: 'url', value: `spiffe://theirs.example/${'y'.repeat(20_000)}` } as const;
  const many = Array.from({ length: 300 }, (_, index) => ({
    type: 'dns' as const,
    value: `${label}.n${index}.example`,
  }));
  const moved = await movedHome(t, [long, ...many]);
  const renewed = await moved.open(0);
  isRenewed(t, moved, renewed);
  const names = renewed.server.certificate.subjectAltName ?? '';
  t.ok(names.length < 10_000, `${names.length} characters`);
  t.match(names, /DNS:edge\.example\.com/, 'ours come first');
  t.match(names, /\.n100\.example/);
  t.notMatch(names, /\.n299\.example|yyy/);
});

t.test('a certificate whose names cannot be read is replaced by one with ours', async (t) => {
  const moved = await movedHome(t, [{ type: 'dns', value: 'b\u00fccher.example' }]);
  const renewed = await moved.open(0);
  isRenewed(t, moved, renewed);
  t.match(renewed.server.certificate.subjectAltName, /^DNS:edge\.example\.com, DNS:localhost/);
});
