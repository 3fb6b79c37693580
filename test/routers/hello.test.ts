// Which routers may connect, and the sentence that the log of the others shows.

import { X509Certificate } from 'node:crypto';
import t from 'tap';
import { makeCertificate } from '../simulated/certificates.ts';
import { bootNetwork } from '../simulated/network.ts';
import { Fleet, refusalOf } from './fleet.ts';

const at = (fleet: Fleet, id: string) =>
  fleet.network.must<Record<string, unknown>>('GET', `M:/edge-routers/${id}`);

t.test('a router with its present certificate is accepted', async (t) => {
  const fleet = new Fleet(await bootNetwork());
  const router = await fleet.router('edge');
  const { twin } = await fleet.connect(router);
  t.ok(twin.isAccepted);
  t.match(await at(fleet, router.id), { isOnline: true, syncStatus: 'SYNC_DONE' });
  await fleet.network.stop();
});

t.test('an expired certificate does not matter', async (t) => {
  const fleet = new Fleet(await bootNetwork());
  const id = await fleet.network.create('edge-routers', { name: 'edge' });
  const certificate = await fleet.certificate(id, { isExpired: true });
  fleet.enroll(id, certificate);
  await fleet.settle();
  const { twin } = await fleet.connect({ id, certificates: [certificate.raw] });
  t.ok(twin.isAccepted);
  await fleet.network.stop();
});

t.test('each refusal is a sentence, and the connection is closed', async (t) => {
  const fleet = new Fleet(await bootNetwork());
  const { network } = fleet;
  const router = await fleet.router('edge');
  const refused = async (dialed: { id: string; certificates: readonly Buffer[] }) => {
    const connected = await fleet.connect(dialed);
    t.notOk(connected.twin.isAccepted);
    t.ok(connected.connection.isClosed);
    return refusalOf(connected);
  };
  t.match(await refused({ ...router, certificates: [] }), /shows no certificate/);
  const stranger = await refused({ ...router, id: 'nobody' });
  t.match(stranger, /no router with this id and this certificate/);

  const unenrolled = await network.create('edge-routers', { name: 'new' });
  t.equal(await refused({ ...router, id: unenrolled }), stranger, 'no id is known by its refusal');

  const other = await fleet.router('other');
  t.equal(await refused({ ...router, certificates: other.certificates }), stranger);
  t.equal(
    await refused({ ...router, certificates: [...other.certificates, ...router.certificates] }),
    stranger,
    'only the leaf counts',
  );

  const nowMs = network.clock.now();
  const foreign = await makeCertificate({ name: 'x', as: 'end', keyType: 'ec-p256', nowMs });
  const abroad = await network.create('edge-routers', { name: 'abroad' });
  // As somebody who has found another certificate with the fingerprint of the issued one.
  fleet.enroll(abroad, foreign.certificate, (await fleet.certificate('abroad')).toString());
  await fleet.settle();
  const certificates = [new X509Certificate(foreign.pem).raw];
  t.match(await refused({ id: abroad, certificates }), /not issued by this network/);

  await network.must('PATCH', `M:/edge-routers/${router.id}`, { disabled: true });
  t.match(await refused(router), /is disabled/);
  await network.must('PATCH', `M:/edge-routers/${router.id}`, { disabled: false });
  t.equal(refusalOf(await fleet.connect(router)), undefined);

  await network.must('DELETE', `M:/edge-routers/${router.id}`);
  t.equal(await refused(router), stranger);
  t.match(network.core.routers.figures.refused, {
    noCertificate: 1,
    unknownRouter: 2,
    notEnrolled: 1,
    otherCertificate: 2,
    foreignCertificate: 1,
    disabled: 1,
  });
  await network.stop();
});

t.test('what allows a router to connect is durable first', async (t) => {
  const fleet = new Fleet(await bootNetwork());
  const router = await fleet.router('edge');
  const { env } = fleet.network;
  await fleet.settle();
  // The frame of a change waits for the disk while the hello arrives.
  const cause = { actor: 'test', requestId: 'r', operation: 'test' };
  const table = env.store.tableNamed('router');
  const connection = fleet.dial(router);
  for (let turns = 0; turns < 10 && connection.twin.result === undefined; turns++) {
    env.store.transact(cause, (tx) => {
      const row = table.peek(router.id);
      if (row !== undefined) tx.put(table, { ...row.record, updatedAt: tx.now + turns });
    });
    fleet.network.clock.turn();
  }
  t.match(refusalOf(connection), /being stored/);
  await fleet.settle();
  t.equal(refusalOf(await fleet.connect(router)), undefined);
  await fleet.network.stop();
});

t.test('a router that connects without end is told to wait', async (t) => {
  const fleet = new Fleet(await bootNetwork());
  const router = await fleet.router('edge');
  for (let n = 0; n < 10; n++) t.equal(refusalOf(await fleet.connect(router)), undefined);
  const last = fleet.network.core.routers.connected.get(router.id);
  t.match(refusalOf(await fleet.connect(router)), /too often/);
  t.equal(fleet.network.core.routers.connected.get(router.id), last, 'the connected one stays');
  await fleet.network.advance(2000);
  t.equal(refusalOf(await fleet.connect(router)), undefined);
  await fleet.network.stop();
});

t.test('a controller that stops takes no further router', async (t) => {
  const fleet = new Fleet(await bootNetwork());
  const router = await fleet.router('edge');
  const { twin } = await fleet.connect(router);
  const { routers } = fleet.network.core;
  routers.stop();
  await fleet.settle();
  t.ok(twin.isClosed);
  t.match(refusalOf(await fleet.connect(router)), /is stopping/);
  await fleet.network.stop();
});
