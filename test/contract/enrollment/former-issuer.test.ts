// A network that signed its certificates by another CA before: what that CA issued for it is logged
// in with and renewed (behaviour/certificates#former-cas), what it signed for others is not.

import { X509Certificate } from 'node:crypto';
import t from 'tap';
import { keyToPem } from '../../../src/pki/x509/pem.ts';
import { type Made, makeCertificate, makeRequest } from '../../simulated/certificates.ts';
import { bootNetwork, type Network } from '../../simulated/network.ts';
import { certificatesIn, enrollWith, newEdgeRouter, newIdentity } from './enrolling.ts';

const refused = { status: 409, code: 'CAN_NOT_UPDATE_AUTHENTICATOR' };

function authority(network: Network, name: string, issuer?: Made): Promise<Made> {
  const wanted = { name, as: 'authority', keyType: 'ec-p256', nowMs: network.clock.now() } as const;
  return makeCertificate(issuer === undefined ? wanted : { ...wanted, issuer });
}

/** Starts the network again with an issuer and a bundle of CAs. */
async function signBy(network: Network, issuer: Made, bundle: readonly Made[]): Promise<void> {
  const files = {
    issuerCert: issuer.pem,
    issuerKey: keyToPem(issuer.key),
    ca: bundle.map(({ pem }) => pem).join(''),
  };
  for (const [name, text] of Object.entries(files)) {
    network.disk.place(`/${name}.pem`, Buffer.from(text));
  }
  const paths = { issuerCert: '/issuerCert.pem', issuerKey: '/issuerKey.pem', ca: '/ca.pem' };
  const { pki } = network.config;
  network.config = { ...network.config, pki: { ...pki, ...paths, trustDomain: 'net.example' } };
  await network.restart();
  await network.logInAdmin();
}

const ders = (chain: string) => certificatesIn(chain).map(({ raw }) => raw);

function nameIn([leaf = Buffer.alloc(0)]: readonly Buffer[]): string | undefined {
  return new X509Certificate(leaf).subjectAltName;
}

const logIn = (network: Network, certificates: readonly Buffer[]) =>
  network.call('POST', 'C:/authenticate?method=cert', { token: null, body: {}, certificates });

/** Logs in by a certificate, and asks for its extension. */
async function extension(network: Network, certificates: readonly Buffer[]) {
  const { authenticatorId, token, isCertExtendable } = (await logIn(network, certificates))
    .data as { authenticatorId: string; token: string; isCertExtendable: boolean };
  const answer = await network.call(
    'POST',
    `C:/current-identity/authenticators/${authenticatorId}/extend`,
    { token, certificates, body: { clientCertCsr: await makeRequest('next') } },
  );
  return { answer, isCertExtendable };
}

/** What an administrator stores for a new identity. */
async function stored(network: Network, name: string, { pem, certificate }: Made) {
  const identityId = await network.create('identities', { name, type: 'Default', isAdmin: false });
  await network.create('authenticators', { method: 'cert', identityId, certPem: pem });
  return [certificate.raw];
}

t.test('what a former CA issued for the network is extended by the present one', async (t) => {
  const network = await bootNetwork();
  const root = await authority(network, 'root');
  const former = await authority(network, 'former', root);
  const present = await authority(network, 'present', root);
  await signBy(network, former, [root, former]);
  const { token } = await newIdentity(network, 'desk');
  const enrolled = await enrollWith(network, token, await makeRequest('desk'));
  const shown = ders((enrolled.data as { cert: string }).cert);
  const router = await newEdgeRouter(network, 'edge');
  const csr = await makeRequest(router.id);
  const body = { certCsr: csr, serverCertCsr: csr };
  const path = `C:/enroll?method=erott&token=${router.token}`;
  const { cert } = (await network.call('POST', path, { token: null, body })).data as {
    cert: string;
  };

  await signBy(network, present, [root, former, present]);
  for (const certificates of [shown, shown.slice(0, 1)]) {
    const { answer, isCertExtendable } = await extension(network, certificates);
    t.ok(isCertExtendable);
    t.equal(answer.status, 200);
    const { clientCert = '' } = answer.data as { clientCert?: string };
    const [next] = certificatesIn(clientCert);
    t.ok(next?.verify(present.certificate.publicKey));
    t.equal(next?.subjectAltName, nameIn(shown));
  }
  const renewal = (certificates: readonly Buffer[]) =>
    network.call('POST', 'C:/enroll/extend/router', { token: null, body, certificates });
  const forged = await makeCertificate({
    name: router.id,
    as: 'end',
    keyType: 'ec-p256',
    nowMs: network.clock.now(),
    issuer: former,
  });
  t.match(await renewal([forged.certificate.raw]), { status: 401 }, 'not the one on record');
  const renewed = await renewal(ders(cert));
  t.equal(renewed.status, 200);
  const [next] = certificatesIn((renewed.data as { cert: string }).cert);
  t.ok(next?.verify(present.certificate.publicKey));
  t.match(await renewal(ders(cert)), { status: 401 }, 'the old one is dead at once');
  t.same(network.logged, []);
  await network.stop();
});

t.test('what no record says that the network issued is not extended', async (t) => {
  const network = await bootNetwork();
  const { clock } = network;
  const root = await authority(network, 'root');
  const former = await authority(network, 'former', root);
  const present = await authority(network, 'present', root);
  const party = await authority(network, 'third party');
  const below = await authority(network, 'below the third party', party);
  await signBy(network, present, [root, former, present, party, below]);
  for (const issuer of [root, former, party, below]) {
    const wanted = {
      name: 'x',
      as: 'end',
      keyType: 'ec-p256',
      nowMs: clock.now(),
      issuer,
    } as const;
    const made = await makeCertificate(wanted);
    const shown = await stored(network, issuer.certificate.subject, made);
    const { answer, isCertExtendable } = await extension(network, shown);
    t.match(answer, refused, issuer.certificate.subject);
    t.notOk(isCertExtendable);
  }
  await network.stop();
});
