// The certificate of a node: what it names, when it is renewed, and who accepts it.

import { createHash } from 'node:crypto';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { NodeMembers } from '../../src/http/front/cluster/node-members.ts';
import type { Log } from '../../src/observe/logs.ts';
import { openAuthority } from '../../src/pki/authority/authority.ts';
import {
  NodeRenewal,
  nodeKeyFingerprint,
  openNodeCertificate,
} from '../../src/pki/authority/node-certificate.ts';
import { PkiProblem } from '../../src/pki/problem.ts';
import { toPem } from '../../src/pki/x509/pem.ts';
import { SimulatedClock } from '../simulated/clock.ts';
import { homesIn, pkiContext, startMs } from './context.ts';

const dayMs = 24 * 3600 * 1000;

t.test('it names the node alone, for both sides of a connection', async (t) => {
  const home = t.testdir();
  const context = pkiContext(home);
  const authority = await openAuthority(context);
  const { key, certificate, chain } = await openNodeCertificate(context, authority, 'n-1');
  t.equal(certificate.subjectAltName, `URI:spiffe://${authority.trustDomain}/controller/n-1`);
  t.same(certificate.keyUsage, ['1.3.6.1.5.5.7.3.1', '1.3.6.1.5.5.7.3.2']);
  t.ok(certificate.checkIssued(authority.issuer.certificate));
  t.ok(certificate.checkPrivateKey(key));
  t.notOk(certificate.checkPrivateKey(authority.server.key), 'a key of its own');
  t.same(chain, [certificate, ...authority.issuer.chain]);
  t.equal(Math.round((Date.parse(certificate.validTo) - startMs) / dayMs), 365);
  for (const name of ['node.key', 'node.pem']) {
    t.equal(statSync(join(home, 'pki', name)).mode & 0o777, 0o600, name);
  }
  const again = await openNodeCertificate(context, authority, 'n-1');
  t.equal(again.certificate.fingerprint256, certificate.fingerprint256, 'a second start reads it');
  const spki = certificate.publicKey.export({ type: 'spki', format: 'der' });
  const expected = createHash('sha256').update(spki).digest('hex');
  t.equal(nodeKeyFingerprint(certificate.publicKey), expected);
  t.equal(nodeKeyFingerprint(key), expected);
});

t.test('a bundle of CAs that leads to no root has none for nodes', async (t) => {
  const home = homesIn(t.testdir());
  const theirs = home();
  await openAuthority(pkiContext(theirs));
  await openAuthority(pkiContext(home()));
  const file = (name: string) => join(theirs, 'pki', name);
  const read = (name: string) => readFileSync(file(name), 'utf8');
  const issuer = { issuerCert: file('intermediate.pem'), issuerKey: file('intermediate.key') };
  const open = async (...bundle: readonly string[]) => {
    const ca = join(theirs, 'bundle.pem');
    writeFileSync(ca, bundle.join(''));
    const context = pkiContext(home(), { ...issuer, ca });
    return await openNodeCertificate(context, await openAuthority(context), 'n-1');
  };
  const other = readFileSync(join(theirs, '../home-2/pki/root.pem'), 'utf8');
  const message = /^pki\.ca lacks the root .+ nodes of a cluster/;
  await t.rejects(open(read('intermediate.pem')), { name: 'PkiProblem', message });
  await t.rejects(open(read('intermediate.pem'), other), { name: 'PkiProblem', message });
  await t.resolves(open(read('intermediate.pem'), read('root.pem')));
  await t.resolves(open(read('root.pem')));
});

t.test('it is renewed with the same key when it is due or does not fit', async (t) => {
  const home = t.testdir();
  const context = pkiContext(home);
  const authority = await openAuthority(context);
  const first = await openNodeCertificate(context, authority, 'n-1');
  const at = (ms: number) => pkiContext(home, {}, { clock: { now: () => startMs + ms } });
  const early = await openNodeCertificate(at(334 * dayMs), authority, 'n-1');
  t.equal(early.certificate.fingerprint256, first.certificate.fingerprint256);
  const due = await openNodeCertificate(at(336 * dayMs), authority, 'n-1');
  t.not(due.certificate.fingerprint256, first.certificate.fingerprint256);
  t.ok(due.certificate.checkPrivateKey(first.key));
  const renamed = await openNodeCertificate(context, authority, 'n-2');
  t.match(renamed.certificate.subjectAltName, /controller\/n-2$/);
  t.ok(renamed.certificate.checkPrivateKey(first.key));
});

t.test('files that do not fit, and ids that would need quotes, are refused', async (t) => {
  const home = t.testdir();
  const context = pkiContext(home);
  const authority = await openAuthority(context);
  for (const id of ['', 'a/b', 'a, URI:spiffe://x', 'x'.repeat(65)]) {
    await t.rejects(openNodeCertificate(context, authority, id), PkiProblem);
  }
  await openNodeCertificate(context, authority, 'n-1');
  const path = join(home, 'pki', 'node.pem');
  const pem = readFileSync(path, 'utf8');
  writeFileSync(path, toPem([authority.server.certificate]));
  await t.rejects(openNodeCertificate(context, authority, 'n-1'), PkiProblem);
  writeFileSync(path, pem);
  writeFileSync(join(home, 'pki', 'node.key'), 'no key');
  await t.rejects(openNodeCertificate(context, authority, 'n-1'), PkiProblem);
});

t.test('a member is known by its id and its key together', async (t) => {
  const homes = homesIn(t.testdir());
  const contexts = [pkiContext(homes()), pkiContext(homes())];
  const [here, there] = contexts;
  if (here === undefined || there === undefined) return;
  const authority = await openAuthority(here);
  await openAuthority(there);
  const one = (await openNodeCertificate(here, authority, 'n-1')).certificate;
  const two = (await openNodeCertificate(there, authority, 'n-2')).certificate;
  const keyOf = (certificate: typeof one) => nodeKeyFingerprint(certificate.publicKey);
  const members = new NodeMembers(authority.trustDomain, [{ id: 'n-1', fingerprint: keyOf(one) }]);
  t.equal(members.idOf(one), 'n-1');
  t.equal(members.idOf(two), undefined);
  members.replace([
    { id: 'n-1', fingerprint: keyOf(two) },
    { id: 'n-2', fingerprint: keyOf(one) },
  ]);
  t.equal(members.idOf(one), undefined, 'the key of another');
  t.equal(members.idOf(two), undefined);
  members.replace([
    { id: 'n-1', fingerprint: keyOf(one) },
    { id: 'n-3', fingerprint: keyOf(one) },
  ]);
  t.equal(members.idOf(one), 'n-1', 'another member claims its key');
  members.replace([{ id: 'n-2', fingerprint: keyOf(two) }]);
  t.equal(members.idOf(one), undefined, 'removed');
  t.equal(members.idOf(two), 'n-2');
  const elsewhere = new NodeMembers('other', [{ id: 'n-2', fingerprint: keyOf(two) }]);
  t.equal(elsewhere.idOf(two), undefined, 'another network');
});

t.test('the daily check shows a renewed pair, and outlives failures', async (t) => {
  const home = t.testdir();
  const clock = new SimulatedClock(startMs);
  const context = pkiContext(home, {}, { clock });
  const authority = await openAuthority(context);
  const open = () => openNodeCertificate(context, authority, 'n-1');
  const pair = await open();
  const shown: string[] = [];
  const lines: string[] = [];
  const line = (...words: unknown[]) => void lines.push(String(words.at(-1)));
  const log = { info: line, error: line } as unknown as Log;
  const renewal = new NodeRenewal({
    pair,
    reopen: open,
    clock,
    log,
    renewed: ({ certificate }) => {
      if (lines.length === 0) throw new Error('not yet');
      shown.push(certificate.fingerprint256);
    },
  });
  renewal.start();
  clock.advance(334 * dayMs);
  await renewal.check();
  t.same(shown, []);
  clock.advance(2 * dayMs);
  await renewal.check();
  t.same(shown, [(await open()).certificate.fingerprint256], 'once, at the second try');
  t.equal(lines.length, 2, 'one failure and one renewal');
  await renewal.stop();
  t.equal(clock.timers, 0);
});
