// Keys that sign tokens of sessions and of the OIDC provider (behaviour/token-keys).

import Type from 'typebox';
import { tokenKey } from '../../machines/token-key.ts';
import { field, optional, sealedIfAny, time } from '../declare/kinds/field.ts';
import { defineKind, type RecordOf } from '../declare/kinds/kind.ts';

const ours = { write: 'never', show: 'never' } as const;

/** Token keys, by their names in the headers of tokens (RFC 7638). */
export const tokenKeyKind = defineKind({
  kind: 'tokenKey',
  version: 1,
  fields: {
    state: field(Type.String(), { fallback: 'announced', ...ours }),
    /** SPKI in DER and base64. */
    publicKey: field(Type.String(), { required: true, ...ours }),
    /** PKCS#8 in DER and base64; absent once the key signs no more. */
    privateKey: sealedIfAny(),
    replaces: optional(Type.String(), ours),
    signsAt: time(ours),
    verifiesUntil: time(ours),
    /** Whether all API sessions end when this key begins to sign. */
    endsSessions: field(Type.Boolean(), { fallback: false, ...ours }),
  },
  many: [],
  calledBy: [],
  machine: { declaration: tokenKey, creates: 'announce', removes: 'remove' },
});

/** A token key. */
export type TokenKeyRecord = RecordOf<typeof tokenKeyKind.fields>;
