// Enrollments of the peer: its JWTs stay valid, because the key of the server certificate stays.

import { enrollmentKind } from '../../records/enrollment.ts';
import { tokenHash } from '../../records/token-hash.ts';
import { defineConversion } from './conversion.ts';
import { textIn } from './entity-values.ts';
import { LeftOut } from './left-out.ts';
import { quoted } from './quoted.ts';

const methods = ['ott', 'ottca', 'updb', 'erott', 'trott'];

/** One-time tokens that are outstanding or have expired. */
export const enrollments = defineConversion({
  bucket: 'enrollments',
  kind: enrollmentKind,
  derived: [],
  createdAt: 'issuedAt',
  convert(entity, { nowMs, sealer }) {
    const [method = '', token, jwt] = ['method', 'token', 'jwt'].map((name) => entity.text(name));
    const identityId = textIn(entity, 'identity');
    const [edgeRouterId, transitRouterId] = ['edgeRouter', 'transitRouter'].map((name) =>
      textIn(entity, name),
    );
    const expiresAt = entity.time('expiresAt');
    const owner = { identityId, routerId: edgeRouterId ?? transitRouterId };
    const further = { caId: textIn(entity, 'caId'), username: textIn(entity, 'username') };
    if (!methods.includes(method)) return new LeftOut(`Its method ${quoted(method)} is not known.`);
    if (owner.identityId === undefined && owner.routerId === undefined) {
      return new LeftOut('It belongs to no identity and to no router.');
    }
    if (!token || !jwt) return new LeftOut('It has no token, or no JWT.');
    if (expiresAt === undefined) return new LeftOut('It does not say when it expires.');
    const seal = (field: string, plain: string) =>
      sealer.seal(Buffer.from(plain), { kind: enrollmentKind.kind, id: entity.id, field });
    return {
      method,
      state: expiresAt > nowMs ? 'outstanding' : 'expired',
      token: seal('token', token),
      jwt: seal('jwt', jwt),
      tokenHash: tokenHash(token),
      expiresAt,
      ...owner,
      ...further,
    };
  },
});
