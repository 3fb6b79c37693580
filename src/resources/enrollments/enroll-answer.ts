// The answers of enrollment: certificates, as JSON or as PEM (behaviour/enrollment).

import Type from 'typebox';
import { detail, type Reply } from '../../declare/operations/operation.ts';
import { ApiError } from '../../errors/errors.ts';
import type { Context } from '../context.ts';
import { controllerSchema, controllersText } from '../controller/controllers.ts';

/** The certificates that an enrollment or an extension issued, as PEM. */
export const enrollmentCertsSchema = Type.Object(
  { ca: Type.String(), cert: Type.String(), serverCert: Type.String() },
  { title: 'enrollmentCerts' },
);

/** The controllers of the network, which an identity may use from now on. */
export const enrollmentControllers = { controllers: Type.Array(controllerSchema) };

/** What an identity receives with its certificate. */
export const identityCertsSchema = Type.Object(
  { ...enrollmentCertsSchema.properties, ...enrollmentControllers },
  { title: 'identityEnrollmentCerts' },
);

/** The same as values. */
export interface EnrollmentCerts {
  /** Roots to trust. */
  readonly ca: string;
  /** The client certificate first, the root left out. */
  readonly cert: string;
  /** A router's server certificate in the same way; empty for identities. */
  readonly serverCert: string;
}

/** The content type of a bare chain. */
export const pemType = 'application/x-pem-file';

/** The certificates of a router in the envelope. */
export function certsReply({ ca, cert, serverCert }: EnrollmentCerts): Reply {
  return detail([JSON.stringify({ ca, cert, serverCert })]);
}

/** The certificates and the controllers in the envelope, or the chain alone, as `form` says. */
export function identityCertsReply(
  context: Context,
  form: AnswerForm,
  { ca, cert, serverCert }: EnrollmentCerts,
): Reply {
  if (form === 'pem') return { form: 'bare', status: 200, contentType: pemType, body: cert };
  const certs = JSON.stringify({ ca, cert, serverCert });
  return detail([`${certs.slice(0, -1)},"controllers":${controllersText(context)}}`]);
}

/** The form in which a caller wants its certificates. */
export type AnswerForm = 'json' | 'pem';

/**
 * PEM if `Accept` names it and does not accept JSON as well (behaviour/enrollment#pem-or-json).
 * @throws ApiError 415 UNSUPPORTED_MEDIA if it accepts neither.
 */
export function answerForm({ request }: Context): AnswerForm {
  const accept = request.header('accept').toLowerCase();
  const ranges = accept.split(',').flatMap((range) => {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim());
    // A weight of zero means "not this one" (RFC 9110 §12.4.2).
    return type === '' || parameters.some((text) => /^q=0(\.0*)?$/.test(text)) ? [] : [type];
  });
  if (accept.trim() === '' || ranges.some((type) => jsonRanges.has(type))) return 'json';
  if (ranges.includes(pemType)) return 'pem';
  throw new ApiError('UNSUPPORTED_MEDIA');
}

const jsonRanges: ReadonlySet<string> = new Set(['application/json', 'application/*', '*/*']);
