// External JWT signers as earlier versions stored them.

import t from 'tap';
import {
  type ExternalJwtSignerRecord,
  externalJwtSignerKind,
} from '../../src/records/external-jwt-signer.ts';

/** The values of version 1. */
function stored(claimsProperty: string, targetToken: string | null): unknown[] {
  const ofCertificate = [null, null, null, null];
  const keys = [null, 'https://idp.example.com/keys', null, ...ofCertificate];
  const texts = [claimsProperty, false, null, null, [], targetToken];
  return [5, 5, null, null, 'idp', 'issuer', 'edge', true, ...keys, ...texts];
}

const read = (values: unknown[], version = 1) =>
  externalJwtSignerKind.codec.decode('s', version, values) as ExternalJwtSignerRecord;

t.test('what was stored stays, and the target token has its default', async (t) => {
  const old = read(stored('sub', null));
  t.match(old, { claimsProperty: 'sub', targetToken: 'ACCESS', audience: 'edge', name: 'idp' });
  t.match(read(stored('email', 'ID')), { claimsProperty: 'email', targetToken: 'ID' });
  const again = externalJwtSignerKind.codec.encode(old) as unknown[];
  t.same(read(again, 2), old);
});
