// Lets clients verify the identity of a controller: its public keys, and a challenge
// (behaviour/enrollment#challenge).

import Type from 'typebox';
import { fieldError } from '../../errors/errors.ts';
import { toPem } from '../../pki/x509/pem.ts';
import { type Operation, operation } from '../context.ts';

const json = 'application/json';

/** The operations; their answers have no envelope. */
export const enrollmentKeys: readonly Operation[] = [
  operation({
    id: 'enrollmentChallenge',
    apis: ['client'],
    method: 'POST',
    path: '/enroll/challenge',
    answered: 'leader',
    access: 'public',
    summary: 'Let the controller prove that it holds the key of its API',
    answer: { bare: json },
    body: Type.Object({
      keyId: Type.String({ maxLength: 200 }),
      nonce: Type.String({ format: 'uuid' }),
    }),
    errors: [400, 429],
    writes: false,
    decide({ env, body: { keyId, nonce } }) {
      const { signer } = env.apiKey;
      // A nonce is a UUID and never the text of a JWT, so this operation cannot be used to sign
      // one.
      if (keyId !== signer.kid) throw fieldError('keyId', 'no API key has this id', keyId);
      const answer = {
        algorithm: signer.algorithm,
        caPool: toPem(env.trust.anchors),
        kid: signer.kid,
        signature: signer.signText(nonce),
      };
      return { form: 'bare', status: 200, contentType: json, body: JSON.stringify(answer) };
    },
  }),
  operation({
    id: 'getEnrollmentJwks',
    apis: ['client'],
    path: '/enroll/jwks',
    answered: 'leader',
    access: 'public',
    summary: 'The public keys that sign enrollment JWTs and session tokens',
    answer: { bare: json },
    errors: [],
    decide({ env }) {
      const body = JSON.stringify({ keys: [env.apiKey.jwk, ...env.tokenKeys.jwks] });
      return { form: 'bare', status: 200, contentType: json, body };
    },
  }),
];
