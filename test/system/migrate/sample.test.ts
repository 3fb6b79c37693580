// The sample of a network is taken over: everything that its API showed is shown again, everybody
// gets in as before, and nobody has enrolled again. Skipped where the sample is missing.

import { createPrivateKey } from 'node:crypto';
import { join } from 'node:path';
import { type Test, t } from 'tap';
import { loadConfig } from '../../../src/settings/config.ts';
import {
  migratedAt,
  reportIn,
  home as simulatedHome,
} from '../../commands/offline/migrate-context.ts';
import { connected as connectedRouter } from '../../routers/tls-router.ts';
import { appCode } from '../../simulated/authenticator-app.ts';
import { makeKeptRequest } from '../../simulated/certificates.ts';
import { SimulatedClock } from '../../simulated/clock.ts';
import { SimulatedDisk } from '../../simulated/disk.ts';
import { Network } from '../../simulated/network.ts';
import { Api, type Client, client, connect, type Json, logIn, management } from '../client.ts';
import { runHere } from '../command-here.ts';
import { freePort } from '../free-ports.ts';
import { roomOf, type Serving, serve } from '../process.ts';
import { reasonOf } from './known-differences.ts';
import { findSample, type Sample, type SampleDevice } from './sample.ts';
import { compareViews, type ViewDifference } from './view-differences.ts';

t.setTimeout(300_000);

/** The sample with a home of ours that was made of it, and its controller. */
interface Served {
  readonly sample: Sample;
  readonly serving: Serving;
  /** Where it answers; what it advertises is the address of the network. */
  readonly url: string;
}

const sample = findSample(roomOf(t));

async function served(t: Test, from: Sample): Promise<Served> {
  const home = join(roomOf(t), 'home');
  const { database, configuration } = from.paths;
  const source = ['--from', database, '--config', configuration];
  const flags = ['--home', home, '--sessions', 'keep'];
  const { code, stderr } = await runHere(['migrate', ...source, ...flags]);
  if (code !== 0) throw new Error(`migrate ended with ${code}: ${stderr}`);
  const checked = await runHere(['check', '--home', home]);
  t.equal(checked.code, 0, checked.stdout);
  const port = await freePort();
  const serving = await serve(t, home, ['--listen', `127.0.0.1:${port}`]);
  return { sample: from, serving, url: `https://localhost:${port}` };
}

/** A connection as a device makes it: it trusts what it got when it enrolled, and nothing else. */
function connected(t: Test, { url, sample }: Served, shown?: SampleDevice): Client {
  const trusted = { url, ca: sample.device('cert1').ca };
  return connect(t, shown === undefined ? trusted : { ...trusted, ...shown });
}

async function authenticated(http: Client, method: string, body: Json = {}): Promise<Api> {
  const path = `${client}/authenticate?method=${method}`;
  const { status, data, error } = await http.call('POST', path, { body });
  if (status !== 200) throw new Error(`${method}: ${status} ${JSON.stringify(error)}`);
  return new Api(http, String(data['token']), String(data['id']));
}

/** Differences that are right for the sample alone. */
function sampleReason({ collection, path, before, after }: ViewDifference): string | undefined {
  const name = `${collection}.${path}`;
  if (name === 'identities.hasApiSession' && before === false && after === true) {
    return 'Whoever looks has logged in.';
  }
  if (name === 'enrollments.identity.urlName') return 'References name their collection, too.';
  if (name === 'enrollments.username' && before === undefined) {
    return 'The user name that an enrollment asks for is shown.';
  }
  if (
    collection === 'transit-routers' &&
    /^enrollment(Token|Jwt|CreatedAt|ExpiresAt)$/.test(path)
  ) {
    return 'An edge router that is not verified shows its enrollment in the transit view, too.';
  }
  return undefined;
}

t.test('the sample', { skip: sample === undefined && 'there is no sample' }, async (t) => {
  if (sample === undefined) return;
  const all = await served(t, sample);
  await t.test('every member of every view', (t) => views(t, all));
  await t.test('access of every identity', (t) => access(t, all));
  await t.test('passwords, and the session that goes on', (t) => passwords(t, all));
  await t.test('the second factor', (t) => secondFactor(t, all));
  await t.test('certificates', (t) => certificates(t, all));
  await t.test('the bundle of CAs', (t) => bundle(t, all));
  await t.test('a router', (t) => router(t, all));
  t.equal((await all.serving.process.stop()).code, 0);
});

async function views(t: Test, all: Served): Promise<void> {
  const { before } = all.sample;
  const admin = await logIn(connected(t, all), 'admin', 'admin');
  const names = Object.keys(before.views);
  const now = new Map<string, readonly Json[]>();
  for (const name of names) now.set(name, await admin.all(name));
  const differences = compareViews(new Map(Object.entries(before.views)), now);
  const unexplained = differences.filter(
    (one) => reasonOf(one) === undefined && sampleReason(one) === undefined,
  );
  t.same(
    unexplained.map(({ rows, ...one }) => one),
    [],
    `${differences.length} differences have a reason`,
  );
  t.equal(now.get('identities')?.length, 310);
}

async function access(t: Test, all: Served): Promise<void> {
  const admin = await logIn(connected(t, all), 'admin', 'admin');
  const { access, ids } = all.sample.before;
  for (const [name, services] of Object.entries(access)) {
    const path = `${management}/services?asIdentity=${ids[name]}&limit=-1`;
    const found: unknown = await admin.ask('GET', path);
    const rows: readonly Json[] = Array.isArray(found) ? found : [];
    // Whoever may ask sees all services, with the permissions of the identity.
    const own = rows.filter(({ permissions }) => /Dial|Bind/.test(String(permissions)));
    t.same(own.map((row) => row['name']).sort(), services.toSorted(), name);
  }
}

async function passwords(t: Test, all: Served): Promise<void> {
  const http = connected(t, all);
  const { ids, live } = all.sample.before;
  for (const [username, password, identity] of [
    ['username', 'user-Pass-1', 'user'],
    ['readername', 'reader-Pass-1', 'reader'],
  ] as const) {
    for (const time of ['first', 'second']) {
      const api = await logIn(http, username, password);
      const { id } = await api.ask('GET', `${client}/current-identity`);
      t.equal(id, ids[identity], `${username}, ${time} time`);
    }
    await t.rejects(logIn(http, username, `${password}2`));
  }
  const going = new Api(http, live.userToken, '');
  t.equal((await going.ask('GET', `${client}/current-identity`))['id'], ids['user']);
}

async function secondFactor(t: Test, all: Served): Promise<void> {
  const http = connected(t, all);
  const { secret, recoveryCodes } = all.sample.before.mfa;
  const known = { username: 'mfaname', password: 'mfa-Pass-1' };
  const services = `${client}/services`;
  const answer = async (code: string) => {
    const api = await authenticated(http, 'password', known);
    t.equal((await api.call('GET', services)).status, 401, 'the password alone is not enough');
    const { status } = await api.call('POST', `${client}/authenticate/mfa`, { code });
    const { status: after } = await api.call('GET', services);
    return status === 200 && after === 200;
  };
  t.notOk(await answer('000000'));
  t.ok(await answer(appCode(secret, Date.now())), 'a code of the app');
  for (const code of recoveryCodes) t.ok(await answer(code), 'a recovery code');
  t.notOk(await answer(recoveryCodes[0] ?? ''), 'each of them once');
}

async function certificates(t: Test, all: Served): Promise<void> {
  const { ids } = all.sample.before;
  for (const name of ['cert1', 'cert2']) {
    const device = all.sample.device(name);
    const api = await authenticated(connected(t, all, device), 'cert');
    const { id } = await api.ask('GET', `${client}/current-identity`);
    t.equal(id, ids[name], name);
    const found: unknown = await api.ask('GET', `${client}/current-identity/authenticators`);
    const [own]: readonly Json[] = Array.isArray(found) ? found : [];
    t.equal(own?.['isIssuedByNetwork'], true);
    const path = `${client}/current-identity/authenticators/${own?.['id']}`;
    const { request, key } = await makeKeptRequest(name);
    const { clientCert } = await api.ask('POST', `${path}/extend`, { clientCertCsr: request });
    const cert = String(clientCert);
    await api.ask('POST', `${path}/extend-verify`, { clientCert: cert });
    const next = { ...device, cert, key: createPrivateKey(key).export(pkcs8).toString() };
    const again = await authenticated(connected(t, all, next), 'cert');
    t.equal((await again.ask('GET', `${client}/current-identity`))['id'], id, 'extended');
  }
  await t.rejects(authenticated(connected(t, all), 'cert'));
}

const pkcs8 = { type: 'pkcs8', format: 'pem' } as const;

/** Devices got the root and the intermediate, and a router the same. */
async function bundle(t: Test, { sample, serving }: Served): Promise<void> {
  const certificatesIn = (text: string) =>
    new Set(text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? []);
  const now = certificatesIn(serving.ca);
  for (const text of [sample.device('cert1').ca, sample.endpoint('edge-1.cas')]) {
    for (const one of certificatesIn(text)) t.ok(now.has(one), 'as it was');
  }
}

/** It comes to the port of the API, with the certificate that it got when it enrolled. */
async function router(t: Test, all: Served): Promise<void> {
  const { sample, url } = all;
  const [row] = sample.before.views['edge-routers'] ?? [];
  t.equal(row?.['name'], 'edge-1');
  const shown = {
    id: String(row?.['id']),
    cert: sample.endpoint('edge-1.cert'),
    key: sample.endpoint('edge-1.key'),
  };
  const { twin, closed } = await connectedRouter(shown, Number(new URL(url).port));
  t.ok(twin.isAccepted, 'its hello is accepted');
  const admin = await logIn(connected(t, all), 'admin', 'admin');
  const now = await admin.ask('GET', `${management}/edge-routers/${shown.id}`);
  t.equal(now['isOnline'], true);
  twin.close();
  await closed;
}

t.test(
  'an enrollment that was out is redeemed on its day',
  { skip: sample === undefined && 'there is no sample' },
  async (t) => {
    if (sample === undefined) return;
    const nowMs = Date.UTC(2026, 10, 24, 4);
    const disk = new SimulatedDisk(1);
    const { code, stderr } = await migratedAt(nowMs, disk, sample.paths);
    t.equal(code, 0, stderr);
    t.equal(reportIn(disk).sessions, 'keep', 'the controller has just been stopped');
    const network = networkOn(disk, nowMs);
    await network.open();
    const jwt = sample.endpoint('pending.jwt').trim();
    const { jti } = JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString());
    const { request } = await makeKeptRequest('pending');
    const enrolled = await network.call('POST', `C:/enroll?method=ott&token=${jti}`, {
      token: null,
      headers: { 'content-type': 'application/x-pem-file' },
      body: request,
    });
    t.equal(enrolled.status, 200, enrolled.body.toString());
    await network.stop();
  },
);

/** A network whose home is a migrated one. */
function networkOn(disk: SimulatedDisk, nowMs: number): Network {
  const network = new Network({});
  const text = disk.bytesOf(`${simulatedHome}/config.json`).toString();
  const config = loadConfig({
    flags: { home: '/home' },
    environment: {},
    readFile: () => text,
    directory: '/',
    cores: 1,
  });
  network.config = { ...network.config, pki: config.pki, advertise: config.advertise };
  network.clock = new SimulatedClock(nowMs);
  const folders = ['', '/pki', '/log', '/snapshots'];
  for (const folder of folders) {
    for (const name of disk.list(simulatedHome + folder)) {
      network.disk.place(
        `/home${folder}/${name}`,
        disk.bytesOf(`${simulatedHome}${folder}/${name}`),
      );
    }
  }
  return network;
}
