// Information for clients before they join a network: its CAs and its JWT (behaviour/information).

import Type from 'typebox';
import { detail, type Reply } from '../../declare/operations/operation.ts';
import { base64Lines, certificateBundle } from '../../pki/x509/ca-bundle.ts';
import { type Operation, operation, type ResourceEnvironment } from '../context.ts';

const apis = ['client', 'management'] as const;
const bundleType = 'application/pkcs7-mime';

/** The operations; both are public. */
export const network: readonly Operation[] = [
  operation({
    id: 'listNetworkJWTs',
    apis,
    path: '/network-jwts',
    answered: 'leader',
    access: 'public',
    summary: 'JWTs by which clients with an external JWT find this network',
    answer: Type.Array(Type.Object({ name: Type.String(), token: Type.String() })),
    errors: [400, 429],
    prepare: ({ env }) => env.networkJwt(),
    decide: (_context, token) => detail([JSON.stringify([{ name: 'default', token }])]),
  }),
  operation({
    id: 'listWellKnownCas',
    apis,
    path: '/.well-known/est/cacerts',
    answered: 'own',
    access: 'public',
    summary: 'The CAs that clients trust this network by',
    answer: { bare: bundleType },
    errors: [],
    decide: ({ env }) => bundleOf(env.trust),
  }),
];

/** Built at the first request, because the trusted CAs do not change while the process runs. */
const bundles = new WeakMap<ResourceEnvironment['trust'], Reply>();

function bundleOf(trust: ResourceEnvironment['trust']): Reply {
  let reply = bundles.get(trust);
  if (reply === undefined) {
    reply = {
      form: 'bare',
      status: 200,
      contentType: bundleType,
      body: base64Lines(certificateBundle(trust.anchors)),
      headers: [['content-transfer-encoding', 'base64']],
    };
    bundles.set(trust, reply);
  }
  return reply;
}
