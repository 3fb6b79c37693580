// Enrollment JWTs that are out, against the key of the new home.

import { createPublicKey } from 'node:crypto';
import { t } from 'tap';
import { type TokenProof, verifyTokens } from '../../../src/migrate/proof/token-proof.ts';
import { enrollment, enrollmentJwt, smallNetwork } from '../home/small-network.ts';
import { ecKey, network, rsaKey } from '../keys/peer-network.ts';
import { type PeerValues, text, time } from '../peer/database.ts';
import { proven } from './proven.ts';

async function proofOf(
  enrollments: Readonly<Record<string, PeerValues>>,
  key = network.server.key,
): Promise<TokenProof> {
  const { store, sealing, clock } = proven({ ...smallNetwork(), enrollments });
  const serverKey = createPublicKey(key);
  const nowMs = clock.now();
  return await verifyTokens({ store, sealing, serverKey, nowMs, verified: () => undefined });
}

t.test('JWTs of the server key are verified', async (t) => {
  const proof = await proofOf({ ofPhone: enrollment(enrollmentJwt()) });
  t.same(proof, { checked: 1, verified: 1, ended: 0, refused: { shown: [], furtherCount: 0 } });
});

t.test('RSA keys, too', async (t) => {
  const key = rsaKey(2048);
  const proof = await proofOf({ ofPhone: enrollment(enrollmentJwt(key)) }, key);
  t.match(proof, { checked: 1, verified: 1 });
});

t.test('a JWT that has ended is verified and counted', async (t) => {
  const ended = { ...enrollment(enrollmentJwt()), expiresAt: time(Date.UTC(2020, 0, 1)) };
  t.match(await proofOf({ ofPhone: ended }), { checked: 1, verified: 1, ended: 1 });
});

t.test('JWTs of other keys, and what is none, are named without their text', async (t) => {
  const own = enrollmentJwt();
  const [header = '', , signature = ''] = own.split('.');
  const cases: readonly (readonly [string, RegExp])[] = [
    [
      enrollmentJwt(ecKey()),
      /^it was signed with another key than that of the server certificate$/,
    ],
    [enrollmentJwt(rsaKey(2048)), /^it is no JWT that this key can verify \(/],
    [`${header}.e30.${signature}`, /^it was signed with another key/],
    ['secret-text', /^it is no JWT that this key can verify \(Invalid Compact JWS\)$/],
  ];
  for (const [jwt, reason] of cases) {
    const { verified, refused } = await proofOf({
      ofPhone: { ...enrollment(jwt), token: text(`token of ${jwt.length}`) },
    });
    t.equal(verified, 0);
    t.match(refused.shown, [{ id: 'ofPhone', method: 'ott', holder: 'phone', reason }]);
    t.notMatch(JSON.stringify(refused), jwt);
  }
});
