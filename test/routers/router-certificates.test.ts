// Routers renew their certificates over the control channel
// (behaviour/control-channel#router-certificates).

import t from 'tap';
import { MalformedMessage } from '../../src/channel/channel-api.ts';
import { contentTypes } from '../../src/channel/content-types.ts';
import { edge, encodeMessage } from '../../src/channel/messages/messages.ts';
import { createLog } from '../../src/observe/logs.ts';
import { fingerprint, parseCertificates } from '../../src/pki/x509/pem.ts';
import { type RouterRecord, routerKind } from '../../src/records/router.ts';
import { createRouterCertificates } from '../../src/routers/router-certificates.ts';
import { makeRequest } from '../simulated/certificates.ts';
import { bootNetwork, type Network, noTraffic } from '../simulated/network.ts';
import {
  handleWhole,
  RecordedRouters,
  receivedFrame,
  recordedRouter,
} from '../simulated/routers.ts';

async function enrolled(seed = 1) {
  const network = await bootNetwork({ seed, traffic: noTraffic });
  const id = await network.create('edge-routers', { name: 'r' });
  const cause = { actor: 'test', requestId: '', operation: 'enroll' };
  network.env.store.transact(cause, (tx) => {
    const certificate = { fingerprint: 'the first', certPem: 'its PEM' };
    network.env.send(tx, 'router', id, { type: 'enroll', now: tx.now, ...certificate });
  });
  await network.advance(10);
  return { network, id, ...connect(network, id) };
}

function connect(network: Network, id: string) {
  const { env, core, random, clock } = network;
  const write = (line: string) => void network.logged.push(line);
  const { log } = createLog({ level: 'warn', clock, readable: false, write });
  const context = { env, durable: core.durable, log, random, connected: new RecordedRouters() };
  const { handlers } = createRouterCertificates(context);
  const router = recordedRouter(id);
  const receive = (contentType: number, body: Buffer) => {
    network.env.store.fence.begin();
    handleWhole(handlers.get(contentType), router, receivedFrame(contentType, body));
  };
  const ask = (clientCertCsr: string, serverCertCsr: string, requireVerification: boolean) => {
    const asked = { clientCertCsr, serverCertCsr, requireVerification };
    const body = encodeMessage(edge.EnrollmentExtendRouterRequest, asked);
    receive(contentTypes.extendEnrollment, body);
  };
  /** The certificates that were sent, once they are durable. */
  const answered = async () => {
    await network.advance(10);
    const [message, ...more] = router.channel.sent.splice(0);
    if (message === undefined) return undefined;
    if (message.contentType !== contentTypes.enrollmentCerts || more.length > 0) {
      throw new Error('one message of certificates');
    }
    return edge.EnrollmentCertsResponse.decode(message.body ?? Buffer.alloc(0));
  };
  /** What a confirmation is answered with: the code, empty for a success. */
  const confirm = async (clientCertPem: string) => {
    const body = encodeMessage(edge.EnrollmentExtendRouterVerifyRequest, { clientCertPem });
    receive(contentTypes.extendEnrollmentVerify, body);
    await network.advance(10);
    const [reply] = router.channel.replies.splice(0);
    if (reply?.message.contentType !== contentTypes.error) throw new Error('an answer');
    return edge.Error.decode(reply.message.body ?? Buffer.alloc(0)).code;
  };
  const record = (): RouterRecord => {
    const row = env.store.table(routerKind).peek(id);
    if (row === undefined) throw new Error('the router exists');
    return row.record;
  };
  return { router, receive, ask, answered, confirm, record };
}

const leafOf = (pem: string) => parseCertificates(pem, 'a test')[0];

t.test('new certificates count at once where they need no confirmation', async (t) => {
  const { network, id, router, ask, answered, record } = await enrolled();
  const csr = await makeRequest(id);
  ask(csr, csr, false);
  t.strictSame(router.channel.sent, [], 'not before they are durable');
  const certs = await answered();
  const [client, server] = [leafOf(certs?.clientCertPem ?? ''), leafOf(certs?.serverCertPem ?? '')];
  const [issuer] = network.env.trust.intermediates;
  if (issuer === undefined) throw new Error('there is an issuer');
  t.ok(client.verify(issuer.publicKey));
  t.ok(server.verify(issuer.publicKey));
  t.equal(client.subject, `CN=${id}`);
  t.equal(parseCertificates(certs?.clientCertPem ?? '', 'a test').length, 2, 'its chain');
  t.equal(certs?.caCertsPem, '');
  t.match(record(), { fingerprint: fingerprint(client), certPem: certs?.clientCertPem });
  t.equal(record().unverifiedFingerprint, undefined);
  t.notOk(router.channel.isClosed);
  await network.stop();
});

t.test('the old certificate counts until the new one is confirmed', async (t) => {
  const { network, id, ask, answered, confirm, record } = await enrolled();
  const csr = await makeRequest(id);
  t.equal(await confirm('any'), 'INVALID_ROUTER_STATE');
  ask(csr, csr, true);
  const first = (await answered())?.clientCertPem ?? '';
  t.equal(record().fingerprint, 'the first');
  const shown = await network.must<Record<string, unknown>>('GET', `M:/edge-routers/${id}`);
  t.match(shown, {
    fingerprint: 'the first',
    unverifiedFingerprint: fingerprint(leafOf(first)),
    unverifiedCertPem: first,
  });
  ask(csr, csr, true);
  const second = (await answered())?.clientCertPem ?? '';
  t.equal(await confirm(''), 'MISSING_CLIENT_PEM');
  t.equal(await confirm('no PEM'), 'INVALID_CLIENT_PEM');
  t.equal(await confirm(first), 'INVALID_CLIENT_PEM', 'only the last one');
  t.equal(record().fingerprint, 'the first');
  t.equal(await confirm(second), '');
  t.match(record(), { fingerprint: fingerprint(leafOf(second)), certPem: second });
  t.equal(record().unverifiedFingerprint, undefined);
  t.equal(record().unverifiedCertPem, undefined);
  t.equal(await confirm(second), '', 'the answer may have been lost');
  t.equal(await confirm(first), 'INVALID_ROUTER_STATE');
  await network.stop();
});

t.test('an unverified certificate survives a crash, and ends with a new enrollment', async (t) => {
  const { network, id, ask, answered } = await enrolled();
  const csr = await makeRequest(id);
  ask(csr, csr, true);
  const pem = (await answered())?.clientCertPem ?? '';
  await network.crash();
  const again = connect(network, id);
  t.equal(again.record().unverifiedCertPem, pem);
  t.equal(await again.confirm(pem), '');
  again.ask(csr, csr, true);
  const next = (await again.answered())?.clientCertPem ?? '';
  await network.must('POST', `M:/edge-routers/${id}/re-enroll`);
  t.match(await network.must('GET', `M:/edge-routers/${id}`), {
    isVerified: false,
    fingerprint: null,
    unverifiedFingerprint: null,
    unverifiedCertPem: null,
  });
  t.equal(await again.confirm(next), 'INVALID_ROUTER_STATE');
  again.ask(csr, csr, true);
  t.equal(await again.answered(), undefined, 'it has to enroll first');
  await network.must('DELETE', `M:/edge-routers/${id}`);
  t.equal(await again.confirm(next), 'ROUTER_NOT_FOUND');
  await network.stop();
});

t.test(
  'requests that cannot be signed have no answer, nor those that come too often',
  async (t) => {
    const { network, id, receive, ask, answered, record } = await enrolled();
    const [csr, foreign] = [await makeRequest(id), await makeRequest('another')];
    ask(foreign, csr, false);
    ask('no request', csr, false);
    t.equal(await answered(), undefined);
    t.equal(record().fingerprint, 'the first');
    for (let count = 2; count < 5; count++) {
      ask(csr, csr, true);
      t.ok(await answered());
    }
    ask(csr, csr, true);
    t.equal(await answered(), undefined);
    await network.advance(3_600_000);
    ask(csr, csr, true);
    t.ok(await answered());
    const broken = Buffer.from('0aff', 'hex');
    for (const type of [contentTypes.extendEnrollment, contentTypes.extendEnrollmentVerify]) {
      t.throws(() => receive(type, broken), MalformedMessage);
    }
    await network.stop();
  },
);
