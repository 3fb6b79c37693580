// Turns replies and errors into the bytes of an answer: envelope, headers, one write.

import type { Chunk, ListFigures, OidcErrors, Reply } from '../../declare/operations/operation.ts';
import { type ApiError, envelopeMeta, errorBody } from '../../errors/errors.ts';
import { loginErrorBody, protocolErrorBody } from '../../errors/oidc-errors.ts';
import type { Header, HttpReply } from '../../platform/http-exchange.ts';

const { apiVersion, apiEnrollmentVersion } = envelopeMeta;
const metaStart = `"meta":{"apiEnrollmentVersion":"${apiEnrollmentVersion}","apiVersion":"${apiVersion}"`;
const jsonType: Header = ['content-type', 'application/json'];

/** Sends the reply of an operation. */
export function sendReply(
  to: HttpReply,
  reply: Exclude<Reply, { form: 'refused' }>,
  headers: readonly Header[],
): void {
  if (reply.form === 'bare') {
    const all = [
      ['content-type', reply.contentType] as const,
      ...headers,
      ...(reply.headers ?? []),
    ];
    to.send(reply.status, all, reply.body);
    return;
  }
  if (reply.form === 'stream') {
    const type = ['content-type', reply.contentType] as const;
    const stream = to.open(reply.status, [type, ...headers, ...(reply.headers ?? [])]);
    if (!stream.isOver) reply.open(stream);
    return;
  }
  const all =
    reply.headers === undefined
      ? [jsonType, ...headers]
      : [jsonType, ...without(headers, reply.headers), ...reply.headers];
  to.send(reply.status, all, envelope(reply.data, reply.list));
}

/** A login in an older session tells the end of the new one. */
function without(headers: readonly Header[], replaced: readonly Header[]): readonly Header[] {
  return headers.filter(([name]) => !replaced.some(([other]) => other === name));
}

/**
 * Sends an error in the envelope of the APIs (behaviour/errors#body).
 * @param form of an operation of the OIDC provider (behaviour/oidc#errors)
 */
export function sendError(
  to: HttpReply,
  error: ApiError,
  requestId: string,
  headers: readonly Header[],
  form?: OidcErrors,
): void {
  const body = bodyIn[form ?? 'envelope'](error, requestId);
  to.send(error.status, [jsonType, ...headers, ...error.headers], body);
}

const bodyIn = { envelope: errorBody, protocol: protocolErrorBody, login: loginErrorBody };

function envelope(data: readonly Chunk[], list: ListFigures | undefined): string | Uint8Array {
  const end = `,${metaStart}${list === undefined ? '' : listMeta(list)}}}`;
  if (data.length === 1 && typeof data[0] === 'string') return `{"data":${data[0]}${end}`;
  return assembled(data, end);
}

/** OpenZiti's clients read this number as "no limit"; JSON has no word for it. */
const noLimit = '9223372036854775807';

function listMeta({ limit, offset, totalCount, filterableFields }: ListFigures): string {
  return (
    `,"filterableFields":${fieldsText(filterableFields)},` +
    `"pagination":{"limit":${limit === Number.POSITIVE_INFINITY ? noLimit : limit},"offset":${offset},"totalCount":${totalCount}}`
  );
}

const fieldTexts = new WeakMap<readonly string[], string>();

function fieldsText(fields: readonly string[]): string {
  let text = fieldTexts.get(fields);
  if (text === undefined) fieldTexts.set(fields, (text = JSON.stringify(fields)));
  return text;
}

/**
 * One buffer for all answers, because each is sent before the next one is built. Copying cached
 * rows into it costs a third of joining strings.
 */
let scratch = Buffer.allocUnsafeSlow(256 * 1024);
/** Bytes kept of the buffer that answers are built in. @bound per controller */
const scratchKeptMax = 8 * 1024 * 1024;

function assembled(data: readonly Chunk[], end: string): Uint8Array {
  const kept = scratch;
  let at = write('{"data":', 0);
  for (const chunk of data) at = write(chunk, at);
  at = write(end, at);
  const whole = scratch.subarray(0, at);
  if (scratch.length > scratchKeptMax) scratch = kept;
  return whole;
}

function write(chunk: Chunk, at: number): number {
  const isText = typeof chunk === 'string';
  // A UTF-16 unit becomes three bytes of UTF-8 at most.
  const needed = at + (isText ? chunk.length * 3 : chunk.length);
  if (needed > scratch.length) {
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, scratch.length * 2));
    larger.set(scratch.subarray(0, at));
    scratch = larger;
  }
  if (isText) return at + scratch.write(chunk, at);
  scratch.set(chunk, at);
  return at + chunk.length;
}
