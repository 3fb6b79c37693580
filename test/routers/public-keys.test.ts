// The keys by which routers check tokens and certificates (behaviour/control-channel#public-keys).

import { createPublicKey, verify, X509Certificate } from 'node:crypto';
import t from 'tap';
import { rollTokenKey } from '../../src/auth/token-keys/roll.ts';
import { contentTypes } from '../../src/channel/content-types.ts';
import { decodeMessage, edge } from '../../src/channel/messages/messages.ts';
import { createLog } from '../../src/observe/logs.ts';
import { makeKey } from '../../src/pki/authority/issue.ts';
import type { ServerFollower, Serving } from '../../src/pki/authority/serving.ts';
import { caKind } from '../../src/records/ca.ts';
import { createPublicKeys } from '../../src/routers/public-keys.ts';
import { type Made, makeCertificate } from '../simulated/certificates.ts';
import { bootNetwork, type Network, noTraffic } from '../simulated/network.ts';
import { type RecordedRouter, RecordedRouters, recordedRouter } from '../simulated/routers.ts';

const { JWT_VALIDATION, CLIENT_CERTIFICATE_VALIDATION } = edge.PublicKey.Usage;

/** A server certificate that a test replaces. */
class ReplacedServing {
  server: Serving['server'];
  readonly followers: ServerFollower[] = [];
  readonly listeners: (() => void)[] = [];

  constructor(server: Serving['server']) {
    this.server = server;
  }

  follow(follower: ServerFollower): void {
    this.followers.push(follower);
  }

  afterChange(listener: () => void): void {
    this.listeners.push(listener);
  }
}

function feature(network: Network) {
  const { env, core, random, clock } = network;
  const { log } = createLog({ level: 'warn', clock, readable: false, write: () => {} });
  const connected = new RecordedRouters();
  const serving = new ReplacedServing(core.serving.server);
  const context = { env, durable: core.durable, log, random, connected };
  const keys = createPublicKeys(context, { serving });
  const greet = (id: string): RecordedRouter => {
    const router = recordedRouter(id);
    keys.greeted?.(router, decodeMessage(edge.ClientHello, Buffer.alloc(0)));
    return router;
  };
  return { keys, serving, greet };
}

function changesOf(router: RecordedRouter) {
  return router.channel.sent.splice(0).map(({ contentType, headers, body }) => {
    if (contentType !== contentTypes.modelChanges || headers !== undefined) throw new Error('type');
    return edge.ChangeSet.decode(body ?? Buffer.alloc(0));
  });
}

async function verifiedCa(network: Network, name: string, ca: Made): Promise<string> {
  const id = await network.create('cas', {
    name,
    certPem: ca.pem,
    isAuthEnabled: true,
    isAutoCaEnrollmentEnabled: false,
    isOttCaEnrollmentEnabled: false,
    identityRoles: [],
  });
  const token = network.env.store.table(caKind).peek(id)?.record.verificationToken ?? '';
  const proof = await makeCertificate({
    name: token,
    as: 'end',
    keyType: 'ec-p256',
    issuer: ca,
    nowMs: network.clock.now(),
  });
  const headers = { 'content-type': 'text/plain' };
  const body = Buffer.from(proof.pem);
  const answer = await network.call('POST', `M:/cas/${id}/verify`, { headers, body });
  if (answer.status !== 200) throw new Error(answer.body.toString());
  return id;
}

const authority = (network: Network, name: string) =>
  makeCertificate({ name, as: 'authority', keyType: 'ec-p256', nowMs: network.clock.now() });

t.test('a greeted router gets all keys in one synthetic change', async (t) => {
  const network = await bootNetwork({ traffic: noTraffic });
  const ca = await authority(network, 'third party');
  await verifiedCa(network, 'third', ca);
  const { greet } = feature(network);
  const [router, other] = [greet('r1'), greet('r2')];
  t.equal(router.channel.sent[0]?.body, other.channel.sent[0]?.body, 'encoded once');
  // The tag of packed usages, then both of them.
  t.ok(router.channel.sent[0]?.body?.includes(Buffer.from('1a020001', 'hex')));
  const [change, ...more] = changesOf(router);
  t.equal(more.length, 0);
  t.match(change, { isSynthetic: true, index: 0, previousIndex: 0, timestampId: '' });
  t.ok(change?.changes.every(({ isSynthetic, action }) => isSynthetic && !action));
  const keys = change?.changes.map(({ publicKey }) => publicKey) ?? [];
  t.equal(new Set(keys.map((key) => key?.kid)).size, keys.length, 'each has its own kid');
  const byKid = new Map(keys.map((key) => [key?.kid, key]));
  const { env } = network;
  const tokens = byKid.get(env.tokenKeys.signer.kid);
  t.match(tokens, { usages: [JWT_VALIDATION], format: edge.PublicKey.Format.PUBLIC_KEY });
  const api = byKid.get(env.apiKey.signer.kid);
  t.match(api, { usages: [JWT_VALIDATION, CLIENT_CERTIFICATE_VALIDATION], format: 0 });
  t.same(Buffer.from(api?.data ?? []), env.serverCertificate.raw);
  const roots = [...env.trust.anchors, ...env.trust.intermediates];
  t.equal(keys.length, 3 + roots.length);
  for (const { data, usages } of keys.slice(2).flatMap((key) => (key ? [key] : []))) {
    t.strictSame([...(usages ?? [])], [CLIENT_CERTIFICATE_VALIDATION]);
    const { fingerprint256 } = new X509Certificate(Buffer.from(data ?? []));
    const known = [ca.certificate, ...roots].map((one) => one.fingerprint256);
    t.ok(known.includes(fingerprint256));
  }
  await network.stop();
});

t.test('a session token is verified by the key that its header names', async (t) => {
  const network = await bootNetwork({ traffic: noTraffic });
  const { greet } = feature(network);
  const [change] = changesOf(greet('r'));
  const claims = { sessionId: 's', serviceId: 'v', apiSessionId: 'a', identityId: 'i' } as const;
  const jwt = network.env.sessionTokens.sign({ ...claims, type: 'Bind' }, network.clock.now());
  const [header = '', payload = '', signature = ''] = jwt.split('.');
  const { kid } = JSON.parse(Buffer.from(header, 'base64url').toString());
  const key = change?.changes.map(({ publicKey }) => publicKey).find((one) => one?.kid === kid);
  const der = Buffer.from(key?.data ?? []);
  const publicKey = createPublicKey({ key: der, format: 'der', type: 'spki' });
  const options = { key: publicKey, dsaEncoding: 'ieee-p1363' } as const;
  const signed = Buffer.from(`${header}.${payload}`);
  t.ok(verify('sha256', signed, options, Buffer.from(signature, 'base64url')));
  await network.stop();
});

t.test('a token key is told before it signs, and taken away when it is gone', async (t) => {
  const network = await bootNetwork({ traffic: noTraffic });
  const { greet } = feature(network);
  const router = greet('r');
  changesOf(router);
  const former = network.env.tokenKeys.signer.kid;
  const { kid } = await network.pump(rollTokenKey(network.env, { endsSessions: true }));
  const [added] = changesOf(router);
  const publicKey = { kid, usages: [JWT_VALIDATION], format: edge.PublicKey.Format.PUBLIC_KEY };
  t.match(added?.changes, [{ isSynthetic: true, publicKey }]);
  t.equal(network.env.tokenKeys.signer.kid, former);
  await network.advance(60_000);
  t.equal(network.env.tokenKeys.signer.kid, kid);
  const [removed] = changesOf(router);
  const action = edge.Event.Action.DELETE;
  t.match(removed?.changes, [{ action, isSynthetic: true, publicKey: { kid: former } }]);
  const kids = changesOf(greet('later'))[0]?.changes.map((change) => change.publicKey?.kid);
  t.ok(kids?.includes(kid));
  t.notOk(kids?.includes(former));
  await network.stop();
});

t.test('a CA is told when it is verified and when it is deleted', async (t) => {
  const network = await bootNetwork({ traffic: noTraffic });
  const { greet, keys } = feature(network);
  const [router, gone] = [greet('r'), greet('gone')];
  keys.disconnected?.(gone);
  changesOf(router);
  changesOf(gone);
  const ca = await authority(network, 'third party');
  const id = await verifiedCa(network, 'third', ca);
  const [added] = changesOf(router);
  t.match(added?.changes, [{ isSynthetic: true, publicKey: { kid: ca.fingerprint } }]);
  await network.must('PATCH', `M:/cas/${id}`, { name: 'another' });
  t.strictSame(changesOf(router), [], 'nothing else of it matters');
  await network.must('DELETE', `M:/cas/${id}`);
  const [removed] = changesOf(router);
  const action = edge.Event.Action.DELETE;
  t.match(removed?.changes, [{ action, isSynthetic: true, publicKey: { kid: ca.fingerprint } }]);
  t.strictSame(changesOf(gone), []);
  const [later] = changesOf(greet('later'));
  t.notOk(later?.changes.some(({ publicKey }) => publicKey?.kid === ca.fingerprint));
  await network.stop();
});

t.test('a new server certificate is told before it is used, the old one goes after', async (t) => {
  const network = await bootNetwork({ traffic: noTraffic });
  const { greet, serving } = feature(network);
  const router = greet('r');
  changesOf(router);
  const former = network.env.apiKey.signer.kid;
  const key = await makeKey('ec-p256');
  const next = await authority(network, 'next');
  for (const follower of serving.followers) {
    await follower({ key, certificate: next.certificate, chain: [] });
  }
  const [added] = changesOf(router);
  t.match(added?.changes, [{ publicKey: { kid: next.fingerprint, usages: [0, 1] } }]);
  serving.server = { key, certificate: next.certificate, chain: [] };
  for (const listener of serving.listeners) listener();
  const [removed] = changesOf(router);
  t.match(removed?.changes, [{ action: edge.Event.Action.DELETE, publicKey: { kid: former } }]);
  const kids = changesOf(greet('later'))[0]?.changes.map(({ publicKey }) => publicKey?.kid);
  t.ok(kids?.includes(next.fingerprint));
  t.notOk(kids?.includes(former));
  for (const listener of serving.listeners) listener();
  t.strictSame(changesOf(router), [], 'another chain of the same certificate');
  await network.stop();
});
