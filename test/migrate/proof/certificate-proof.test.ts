// Certificates of the network against the CAs of the new home.

import { t } from 'tap';
import {
  type CertificateProof,
  judgeCertificates,
} from '../../../src/migrate/proof/certificate-proof.ts';
import { fingerprint, toPem } from '../../../src/pki/x509/pem.ts';
import { certificateOf, deskPair, router, smallNetwork } from '../home/small-network.ts';
import { authority, leaf, network } from '../keys/peer-network.ts';
import { type DatabaseContent, flag, text } from '../peer/database.ts';
import { proven } from './proven.ts';

const { root, signing } = network;
const stranger = leaf('stranger', authority('Strangers', 'self'));

/** The CAs of a home. */
const whole = {
  anchors: [root.certificate, signing.certificate],
  intermediates: [signing.certificate],
  issuer: { certificate: signing.certificate, chain: [signing.certificate] },
};

function proofOf(kinds: DatabaseContent['kinds'], authorities = whole): CertificateProof {
  const { store } = proven(kinds);
  return judgeCertificates({ store, authorities, judged: () => undefined });
}

/** The holders of certificates that are not accepted. */
function refused({ refused: { shown } }: CertificateProof): string[] {
  return shown.map(({ kind, id, name, reason }) => `${kind} ${id} (${name}): ${reason}`);
}

const noCa = 'no CA of the new home issued it, directly or over others';

t.test('certificates of the signing CA are accepted', (t) => {
  t.match(proofOf(smallNetwork()), { checked: 2, accepted: 2, refused: { shown: [] } });
  t.end();
});

t.test('another home accepts none of them', (t) => {
  const other = authority('Others', 'self').certificate;
  const authorities = {
    anchors: [other],
    intermediates: [],
    issuer: { certificate: other, chain: [] },
  };
  const proof = proofOf(smallNetwork(), authorities);
  t.same(refused(proof), [`identity desk (desk): ${noCa}`, `router north (north): ${noCa}`]);
  t.equal(proof.refused.shown[0]?.fingerprint, fingerprint(deskPair.certificate));
  t.end();
});

t.test('an anchor that is no root will do, and dates do not count', (t) => {
  const ended = leaf('ended', signing, { notAfterMs: Date.UTC(2020, 0, 1), notBeforeMs: 0 });
  const kinds = {
    ...smallNetwork(),
    authenticators: { ofDesk: certificateOf('desk', ended) },
  };
  const authorities = { ...whole, anchors: [signing.certificate] };
  t.match(proofOf(kinds, authorities), { checked: 2, accepted: 2 });
  t.end();
});

t.test('certificates that wait are judged, those of third parties are not', (t) => {
  const { ofDesk } = { ofDesk: certificateOf('desk', deskPair) };
  const waiting = {
    ...ofDesk,
    unverifiedCertPem: text(toPem([stranger.certificate])),
    unverifiedCertFingerprint: text(fingerprint(stranger.certificate)),
  };
  const kinds = {
    ...smallNetwork(),
    authenticators: {
      ofDesk: waiting,
      ofPhone: { ...certificateOf('phone', stranger), isIssuedByNetwork: flag(false) },
    },
  };
  const proof = proofOf(kinds);
  t.equal(proof.checked, 3);
  t.same(refused(proof), [`identity desk (desk): ${noCa}`]);
  t.equal(proof.refused.shown[0]?.fingerprint, fingerprint(stranger.certificate));
  t.end();
});

t.test('routers of another CA', (t) => {
  const kinds = { ...smallNetwork(), routers: { north: router('north', stranger) } };
  t.same(refused(proofOf(kinds)), [`router north (north): ${noCa}`]);
  t.end();
});
