// Receives the posture data that endpoints submit, one response at a time or many
// (behaviour/posture#responses).

import Type, { type Static } from 'typebox';
import type { Reply } from '../../declare/operations/operation.ts';
import { fieldError } from '../../errors/errors.ts';
import { boundsOf } from '../../settings/bounds.ts';
import { type Context, type Operation, operation } from '../context.ts';
import { submit } from './posture-submission.ts';
import { promptedServiceSchema, promptedServices } from './prompted-services.ts';

// Texts may be as long as those of the checks that they answer.
const hexText = Type.String({ maxLength: 1000 });
const word = Type.String({ maxLength: 1000 });
const id = Type.String({ maxLength: 200 });

const process = {
  id,
  path: Type.Optional(Type.String({ maxLength: 4096 })),
  isRunning: Type.Optional(Type.Boolean()),
  hash: Type.Optional(hexText),
  signerFingerprints: Type.Optional(Type.Array(hexText)),
};

const endpointState = {
  id,
  woken: Type.Optional(Type.Boolean()),
  unlocked: Type.Optional(Type.Boolean()),
};

const osSchema = Type.Object({
  typeId: Type.Literal('OS'),
  id,
  type: Type.String({ maxLength: 100 }),
  version: word,
  build: Type.Optional(word),
});
const domainSchema = Type.Object({ typeId: Type.Literal('DOMAIN'), id, domain: word });
const macSchema = Type.Object({
  typeId: Type.Literal('MAC'),
  id,
  macAddresses: Type.Array(Type.String({ maxLength: 100 })),
});
// Clients answer each process of a PROCESS_MULTI check separately, some under the check's own type.
const processSchema = Type.Object({ typeId: Type.Literal('PROCESS'), ...process });
const processOfManySchema = Type.Object({ typeId: Type.Literal('PROCESS_MULTI'), ...process });
// Events for MFA checks have their own type name; some clients use the type name of the checks.
const endpointSchema = Type.Object({ typeId: Type.Literal('ENDPOINT_STATE'), ...endpointState });
const mfaSchema = Type.Object({ typeId: Type.Literal('MFA'), ...endpointState });

const shapes = [
  osSchema,
  domainSchema,
  macSchema,
  processSchema,
  processOfManySchema,
  endpointSchema,
  mfaSchema,
] as const;

/** One response of any type. */
export type PostureResponse = Static<(typeof shapes)[number]>;

const responseSchema = Type.Union([...shapes], {
  'x-discriminator': 'typeId',
  // As in the specification's sample (behaviour/posture#types-of-the-samples).
  'x-aliases': { postureResponseDomainCreate: 'DOMAIN' },
});

const common = {
  apis: ['client'],
  method: 'POST',
  access: 'full',
  answer: Type.Object(
    { services: Type.Array(promptedServiceSchema) },
    { title: 'postureResponse' },
  ),
  errors: [400, 401, 429],
  creates: 'sometimes',
  // An identity that lost a session for posture must not regain it while it is still being ended.
  grants: true,
  rate: 'written',
} as const;

/** `/posture-response` and `/posture-response-bulk`. */
export const postureResponses: readonly Operation[] = [
  operation({
    ...common,
    id: 'createPostureResponse',
    path: '/posture-response',
    summary: 'Answer one posture check',
    success: 201,
    body: responseSchema,
    decide(context) {
      checkCounts(context.body, '', boundsOf(responseBounds, context.env.bounds));
      return take(context, [context.body], 201);
    },
  }),
  operation({
    ...common,
    id: 'createPostureResponseBulk',
    path: '/posture-response-bulk',
    summary: 'Answer several posture checks; all of the answers are taken, or none',
    body: Type.Array(responseSchema, { maxItems: 2000 }),
    decide(context) {
      const { body, env } = context;
      const bounds = boundsOf(responseBounds, env.bounds);
      const { postureResponsesMax } = bounds;
      if (body.length > postureResponsesMax) {
        throw fieldError('body', `must have at most ${postureResponsesMax} items`, body.length);
      }
      for (const [at, response] of body.entries()) checkCounts(response, `${at}.`, bounds);
      return take(context, body, 200);
    },
  }),
];

/** `at`: the path of the response within the body. @throws ApiError COULD_NOT_VALIDATE. */
function checkCounts(
  response: PostureResponse,
  at: string,
  { postureMacAddressesMax, postureSignersMax }: typeof responseBounds,
): void {
  if (response.typeId === 'MAC') {
    checkCount(`${at}macAddresses`, response.macAddresses, postureMacAddressesMax);
  } else if ('signerFingerprints' in response) {
    checkCount(`${at}signerFingerprints`, response.signerFingerprints ?? [], postureSignersMax);
  }
}

function checkCount(field: string, texts: readonly string[], most: number): void {
  if (texts.length > most) throw fieldError(field, `must have at most ${most} items`, texts.length);
}

function take(context: Context, responses: readonly PostureResponse[], status: 200 | 201): Reply {
  const event = submit(context, responses);
  const services = event === undefined ? '' : promptedServices(context, event);
  return { form: 'data', status, data: [`{"services":[${services}]}`] };
}

const responseBounds = {
  /** Responses of one bulk: one per check, and per process of a check. @bound per request */
  postureResponsesMax: 500,
  /** Signers submitted of one process. Programs have one or two. @bound per request */
  postureSignersMax: 20,
  /** MAC addresses of one response. Machines show a few dozen. @bound per request */
  postureMacAddressesMax: 100,
};
