// The server certificate while the controller runs: it is renewed before it ends, or reloaded.

import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import type { Log } from '../../src/observe/logs.ts';
import { openAuthority } from '../../src/pki/authority/authority.ts';
import type { ChainedKey } from '../../src/pki/authority/server-certificate.ts';
import { Serving } from '../../src/pki/authority/serving.ts';
import type { PkiContext } from '../../src/pki/authority/settings.ts';
import { SimulatedClock } from '../simulated/clock.ts';
import { homesIn, pkiContext, startMs } from './context.ts';

/** How often the controller looks at its certificate. */
const checkIntervalMs = 24 * 3600 * 1000;

/** A controller's certificate with the lines that are logged of it. */
async function open(home: string, settings: Partial<PkiContext['settings']> = {}) {
  const clock = new SimulatedClock(startMs);
  const authority = await openAuthority(pkiContext(home, settings, { clock }));
  const lines: string[] = [];
  const line =
    (level: string) =>
    (...words: unknown[]) =>
      void lines.push(`${level} ${words.at(-1)}`);
  const log = { info: line('info'), warn: line('warn'), error: line('error') } as unknown as Log;
  const serving = new Serving(authority, clock, log);
  const told: ChainedKey[] = [];
  serving.follow((server) => void told.push(server));
  return { clock, authority, serving, told, lines };
}

const renewed = 'info the server certificate was replaced';

t.test(
  'our own certificate is renewed thirty days before its end, with the same key',
  async (t) => {
    const home = t.testdir();
    const { clock, authority, serving, told, lines } = await open(home);
    const { server, apiKey } = serving;
    t.equal(server, authority.server);
    serving.start();
    clock.advance(334 * checkIntervalMs);
    await serving.check();
    t.equal(serving.server, server, 'not a day too early');
    t.same(lines, []);
    clock.advance(checkIntervalMs);
    await serving.check();
    t.not(serving.server.certificate.serialNumber, server.certificate.serialNumber);
    t.ok(serving.server.key.equals(server.key));
    t.same(told, [serving.server]);
    t.same(lines, [renewed]);
    t.not(serving.apiKey.signer.kid, apiKey.signer.kid);
    t.equal(serving.apiKey.jwk.x, apiKey.jwk.x);
    const file = readFileSync(join(home, 'pki/server.pem'), 'utf8');
    t.equal(file, serving.server.chain.map(String).join(''), 'and a start finds it');
    const end = serving.server.certificate.validToDate.getTime();
    t.equal(Math.round((end - clock.now()) / checkIntervalMs), 365);
    await serving.stop();
    t.equal(clock.timers, 0);
  },
);

t.test('a supplied certificate is reloaded; one that does not fit is refused', async (t) => {
  const home = homesIn(t.testdir());
  const theirs = home();
  const other = home();
  await openAuthority(pkiContext(theirs));
  await openAuthority(pkiContext(other));
  const file = (name: string) => join(theirs, 'pki', name);
  const supplied = { serverCert: file('server.pem'), serverKey: file('server.key') };
  const mine = { ...supplied, ca: file('ca.pem') };
  const { clock, serving, told, lines } = await open(home(), mine);
  const { server } = serving;
  const first = readFileSync(supplied.serverCert);

  copyFileSync(join(other, 'pki/server.pem'), supplied.serverCert);
  await serving.check();
  t.equal(serving.server, server, 'the key of another certificate');
  writeFileSync(supplied.serverCert, 'garbage');
  await serving.check();
  const failed = 'error the server certificate could not be renewed';
  t.same(lines.splice(0), [failed, failed]);

  writeFileSync(supplied.serverCert, first);
  await serving.check();
  t.equal(serving.server, server, 'the same is no other one');
  t.same(told, []);

  // Their controller renews it, as a script of theirs would.
  clock.advance(340 * checkIntervalMs);
  await serving.check();
  t.match(lines.splice(0), [/^warn The server certificate is valid until 20/], 'told when it ends');
  await openAuthority(pkiContext(theirs, {}, { clock }));
  await serving.check();
  t.equal(String(serving.server.certificate) === String(server.certificate), false);
  t.equal(told.length, 1);
  t.same(lines, [renewed]);
});

t.test(
  'another key is reported, because outstanding enrollments can no longer be checked',
  async (t) => {
    const home = homesIn(t.testdir());
    const theirs = home();
    await openAuthority(pkiContext(theirs));
    const file = (name: string) => join(theirs, 'pki', name);
    const supplied = { serverCert: file('server.pem'), serverKey: file('server.key') };
    const { serving, lines } = await open(home(), { ...supplied, ca: file('ca.pem') });
    const { key } = serving.server;
    for (const name of ['server.pem', 'server.key']) rmSync(file(name));
    await openAuthority(pkiContext(theirs));
    await serving.check();
    t.notOk(serving.server.key.equals(key));
    t.match(lines, [renewed, /^warn the key of the server certificate has changed/]);
  },
);

t.test('a listener that cannot show it keeps the old one, and is asked again', async (t) => {
  const { clock, serving, lines } = await open(t.testdir());
  const { server } = serving;
  let refusals = 1;
  serving.follow(async () => {
    refusals -= 1;
    if (refusals >= 0) throw new Error('no');
  });
  clock.advance(340 * checkIntervalMs);
  await serving.check();
  t.equal(serving.server, server);
  t.match(lines.splice(0), [/^error/, /^warn/]);
  await Promise.all([serving.check(), serving.check()]);
  t.not(serving.server, server);
  t.same(lines, [renewed], 'two looks at a time are one');
});
