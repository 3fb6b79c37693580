// External JWT signers of the peer.

import { defaultAuthPolicyId } from '../../records/auth-policy.ts';
import { externalJwtSignerKind } from '../../records/external-jwt-signer.ts';
import type { PeerEntity } from '../peer/entity.ts';
import { defineConversion } from './conversion.ts';
import { nameOf, textIn } from './entity-values.ts';
import { LeftOut } from './left-out.ts';
import type { EntityNotes } from './notes.ts';
import { quoted } from './quoted.ts';

/** Issuers whose tokens count as a login. */
export const externalJwtSigners = defineConversion({
  bucket: 'externalJwtSigners',
  kind: externalJwtSignerKind,
  derived: [],
  convert(entity, _context, notes) {
    const text = (field: string) => textIn(entity, field);
    const issuer = text('issuer');
    const policyId = text('enrollAuthPolicyId');
    const values = {
      name: nameOf(entity, notes),
      audience: text('audience'),
      enabled: entity.flag('enabled'),
      certPem: text('certPem'),
      jwksEndpoint: text('jwksEndpoint'),
      kid: text('kid'),
      fingerprint: text('fingerprint')?.toLowerCase(),
      commonName: text('commonName'),
      notBefore: entity.time('notBefore'),
      notAfter: entity.time('notAfter'),
      claimsProperty:
        text('claimsProperty') ?? externalJwtSignerKind.fields.claimsProperty.fallback,
      useExternalId: entity.flag('useExternalId'),
      externalAuthUrl: text('externalAuthUrl'),
      clientId: text('clientId'),
      scopes: entity.set('scopes'),
      targetToken: targetOf(entity, notes),
      enrollToCertEnabled: entity.flag('enrollToCertEnabled') || undefined,
      enrollToTokenEnabled: entity.flag('enrollToTokenEnabled') || undefined,
      enrollNameClaimsSelector: text('enrollNameClaimsSelector'),
      enrollAttributeClaimsSelector: text('enrollAttributeClaimsSelector'),
      // Unset means the same, and waits for no policy.
      enrollAuthPolicyId: policyId === defaultAuthPolicyId ? undefined : policyId,
    };
    return issuer === undefined ? new LeftOut('It names no issuer.') : { ...values, issuer };
  },
  taken: (record, { logins }) => logins.noteSigner(record),
});

function targetOf(entity: PeerEntity, notes: EntityNotes): 'ACCESS' | 'ID' {
  const target = textIn(entity, 'targetToken') ?? 'ACCESS';
  if (target === 'ACCESS' || target === 'ID') return target;
  notes.changed(`Its target token ${quoted(target)} is not known, and becomes ACCESS.`);
  return 'ACCESS';
}
