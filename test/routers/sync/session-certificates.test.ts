// Routers learn by which certificates clients may use their API sessions
// (behaviour/control-channel#api-session-sync).

import { X509Certificate } from 'node:crypto';
import t from 'tap';
import { edge } from '../../../src/channel/messages/messages.ts';
import { fingerprint } from '../../../src/pki/x509/pem.ts';
import { makeCertificate, makeRequest } from '../../simulated/certificates.ts';
import type { RecordedRouter } from '../../simulated/routers.ts';
import { password, SyncedNetwork, told, type User } from './synced-network.ts';

/** A session certificate that the client asks for; answers its id and fingerprint. */
async function certify(synced: SyncedNetwork, { token }: User) {
  const body = { csr: await makeRequest('any') };
  const path = 'C:/current-api-session/certificates';
  const made = await synced.network.must<{ id: string; certificate: string }>(
    'POST',
    path,
    body,
    token,
  );
  return { id: made.id, print: fingerprint(new X509Certificate(made.certificate)) };
}

/** The fingerprints of the only API session in the last message. */
function lastPrints(router: RecordedRouter): readonly string[] {
  const body = router.channel.sent.splice(0).at(-1)?.body ?? Buffer.alloc(0);
  return edge.ApiSessionAdded.decode(body).apiSessions[0]?.certFingerprints ?? [];
}

t.test('a session certificate is told as an update, and in later full states', async (t) => {
  const synced = await SyncedNetwork.boot();
  await synced.allow('#here', '#all');
  const anna = await synced.user('anna', ['here']);
  const router = await synced.router('r');
  told(router);
  const first = await certify(synced, anna);
  t.strictSame(told(router), [`updated ${anna.token} ${first.print}`]);
  const second = await certify(synced, anna);
  const [text = ''] = told(router);
  t.strictSame(
    text.split(/[ ,]/).sort(),
    ['updated', anna.token, first.print, second.print].sort(),
  );
  const path = `C:/current-api-session/certificates/${first.id}`;
  await synced.network.must('DELETE', path, undefined, anna.token);
  t.strictSame(told(router), [`updated ${anna.token} ${second.print}`], 'one was deleted');
  t.strictSame(lastPrints(await synced.connect(router.id)), [second.print]);
  await synced.network.advance(20 * 60_000);
  for (let hours = 0; hours < 26; hours++) {
    await synced.network.call('GET', 'C:/current-api-session', { token: anna.token });
    await synced.network.advance(29 * 60_000);
  }
  t.strictSame(lastPrints(await synced.connect(router.id)), [], 'an expired one is left out');
  await synced.network.stop();
});

t.test('an expired session certificate is taken from routers without a change', async (t) => {
  const synced = await SyncedNetwork.boot();
  await synced.allow('#here', '#all');
  const anna = await synced.user('anna', ['here']);
  const early = await certify(synced, anna);
  const router = await synced.router('r');
  told(router);
  const pass = async (minutes: number) => {
    for (let passed = 0; passed < minutes; passed += 20) {
      await synced.network.call('GET', 'C:/current-api-session', { token: anna.token });
      await synced.network.advance(20 * 60_000);
    }
  };
  await pass(120);
  const late = await certify(synced, anna);
  told(router);
  await pass(9 * 60 + 40);
  t.strictSame(told(router), [], 'the first one is valid for 12 hours');
  await pass(40);
  t.strictSame(told(router), [`updated ${anna.token} ${late.print}`]);
  t.not(early.print, late.print);
  await pass(120);
  t.strictSame(told(router), [`updated ${anna.token} `], 'none is left');
  synced.disconnect(router);
  await pass(20);
  t.strictSame(told(router), []);
  await synced.network.stop();
});

t.test('the certificate of a login goes out with its API session', async (t) => {
  const synced = await SyncedNetwork.boot();
  await synced.allow('#here', '#all');
  await synced.network.createUser('anna', password, { roleAttributes: ['here'] });
  const router = await synced.router('r');
  told(router);
  const nowMs = synced.network.clock.now();
  const shown = await makeCertificate({ name: 'any', as: 'end', keyType: 'ec-p256', nowMs });
  const answer = await synced.network.call('POST', 'C:/authenticate?method=password', {
    body: { username: 'anna', password },
    token: null,
    certificates: [shown.certificate.raw],
  });
  t.equal(answer.status, 200);
  t.equal(router.channel.sent.length, 1);
  t.strictSame(lastPrints(router), [shown.fingerprint]);
  await synced.network.stop();
});
