// The answers of enrollment: certificates, as JSON or as PEM (behaviour/enrollment).

import Type from 'typebox';
import { type Context, detail, type Reply } from '../../declare/operation.ts';
import { ApiError } from '../../errors.ts';

/** The certificates that an enrollment or an extension issued, as PEM. */
export const enrollmentCertsSchema = Type.Object(
  { ca: Type.String(), cert: Type.String(), serverCert: Type.String() },
  { title: 'enrollmentCerts' },
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

/** The certificates in the envelope. */
export function certsReply({ ca, cert, serverCert }: EnrollmentCerts): Reply {
  return detail([JSON.stringify({ ca, cert, serverCert })]);
}

/** The certificates in the envelope, or the chain alone, as `form` says. */
export function certsReplyIn(form: AnswerForm, certs: EnrollmentCerts): Reply {
  if (form === 'json') return certsReply(certs);
  return { form: 'bare', status: 200, contentType: pemType, body: certs.cert };
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
