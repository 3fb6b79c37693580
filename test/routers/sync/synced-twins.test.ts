// Simulated routers over their channels: what they are told of clients, from the connection on
// (behaviour/control-channel#api-session-sync, #public-keys, #router-certificates).

import t from 'tap';
import { contentTypes } from '../../../src/channel/content-types.ts';
import { edge, encodeMessage } from '../../../src/channel/messages/messages.ts';
import { fingerprint, parseCertificates } from '../../../src/pki/x509/pem.ts';
import { makeRequest } from '../../simulated/certificates.ts';
import { bootNetwork, type Network } from '../../simulated/network.ts';
import type { RouterTwin } from '../../simulated/router-twin.ts';
import { Fleet } from '../fleet.ts';

const password = 'user-password';

async function begun(): Promise<{ readonly network: Network; readonly fleet: Fleet }> {
  const network = await bootNetwork();
  const body = { semantic: 'AnyOf', identityRoles: ['#here'], edgeRouterRoles: ['#all'] };
  await network.create('edge-router-policies', { name: 'all', ...body });
  await network.createUser('anna', password, { roleAttributes: ['here'] });
  return { network, fleet: new Fleet(network) };
}

async function settle(network: Network): Promise<void> {
  for (let turns = 0; turns < 5; turns++) await network.advance(10);
}

/** Takes the frames of a type that the router has received. */
function take(twin: RouterTwin, contentType: number): Buffer[] {
  const bodies: Buffer[] = [];
  for (const frame of twin.received) if (frame.contentType === contentType) bodies.push(frame.body);
  twin.received.splice(0);
  return bodies;
}

function tokensIn(bodies: readonly Buffer[]): string[] {
  return bodies.flatMap((body) =>
    edge.ApiSessionAdded.decode(body).apiSessions.map(({ token }) => token ?? ''),
  );
}

t.test('a router is synced, follows log-ins and log-outs, and again after a restart', async (t) => {
  const { network, fleet } = await begun();
  const first = await network.login('anna', password);
  const router = await fleet.router('r');
  const { twin } = await fleet.connect(router);
  await settle(network);
  const types = twin.received.map(({ contentType }) => contentType);
  t.ok(types.includes(contentTypes.modelChanges), 'public keys');
  t.strictSame(tokensIn(take(twin, contentTypes.apiSessionAdded)), [first]);
  t.match(await network.must('GET', `M:/edge-routers/${router.id}`), { syncStatus: 'SYNC_DONE' });
  const second = await network.login('anna', password);
  await settle(network);
  t.strictSame(tokensIn(take(twin, contentTypes.apiSessionAdded)), [second]);
  await network.must('DELETE', 'C:/current-api-session', undefined, first);
  await settle(network);
  const [removed] = take(twin, contentTypes.apiSessionRemoved);
  t.strictSame(edge.ApiSessionRemoved.decode(removed ?? Buffer.alloc(0)).tokens, [first]);
  await network.restart();
  const again = await fleet.connect(router);
  await settle(network);
  t.strictSame(tokensIn(take(again.twin, contentTypes.apiSessionAdded)), [second]);
  await network.stop();
});

t.test('an identity counts as connected while a router says that it is', async (t) => {
  const { network, fleet } = await begun();
  const token = await network.login('anna', password);
  const { twin } = await fleet.connect(await fleet.router('r'));
  await settle(network);
  const shown = async () => {
    const list = await network.must<Record<string, unknown>[]>('GET', 'M:/identities');
    return list.find(({ name }) => name === 'anna')?.['hasEdgeRouterConnection'];
  };
  t.equal(await shown(), false);
  twin.send({
    contentType: contentTypes.apiSessionHeartbeat,
    body: encodeMessage(edge.ApiSessionHeartbeat, { tokens: [token] }),
  });
  await settle(network);
  t.equal(await shown(), true);
  await network.stop();
});

t.test('a router renews its certificate and goes on, and connects with the new one', async (t) => {
  const { network, fleet } = await begun();
  const router = await fleet.router('r');
  const { twin } = await fleet.connect(router);
  await settle(network);
  const csr = await makeRequest(router.id);
  twin.send({
    contentType: contentTypes.extendEnrollment,
    body: encodeMessage(edge.EnrollmentExtendRouterRequest, {
      clientCertCsr: csr,
      serverCertCsr: csr,
      requireVerification: true,
    }),
  });
  await settle(network);
  const [certs = Buffer.alloc(0)] = take(twin, contentTypes.enrollmentCerts);
  const { clientCertPem } = edge.EnrollmentCertsResponse.decode(certs);
  const asked = twin.ask({
    contentType: contentTypes.extendEnrollmentVerify,
    body: encodeMessage(edge.EnrollmentExtendRouterVerifyRequest, { clientCertPem }),
  });
  await settle(network);
  const answer = await asked;
  t.equal(answer.contentType, contentTypes.error);
  t.equal(edge.Error.decode(answer.body).code, '');
  t.notOk(twin.isClosed);
  const [leaf] = parseCertificates(clientCertPem, 'a test');
  const shown = await network.must('GET', `M:/edge-routers/${router.id}`);
  t.match(shown, { fingerprint: fingerprint(leaf), unverifiedFingerprint: null });
  const former = await fleet.connect(router);
  t.notOk(former.twin.isAccepted, 'the former one does not count');
  const renewed = await fleet.connect({ ...router, certificates: [leaf.raw] });
  t.ok(renewed.twin.isAccepted);
  await network.stop();
});
