// The body of a request, as its operation reads it.

import type { AnyOperation } from '../../declare/operations/operation.ts';
import { checkBody } from '../../declare/resources/validate.ts';
import { ApiError, fieldError } from '../../errors/errors.ts';
import type { HttpRequest } from '../../platform/http-exchange.ts';
import { parseJson, refuseOtherThanUtf8 } from './json-body.ts';
import type { RequestContext } from './request-context.ts';

/**
 * Reads the body of a request into its context. @throws ApiError for one that the operation does
 * not take
 */
export function readBody(
  context: Pick<RequestContext<never>, 'request' | 'rawBody' | 'body'>,
  operation: AnyOperation,
): void {
  const { request } = context;
  context.rawBody = rawBodyOf(operation, request);
  // A raw body may be DER. The operation that reads it refuses an invalid certificate request.
  if (context.rawBody !== undefined) context.body = {};
  else {
    refuseOtherThanUtf8(request.body);
    context.body = bodyOf(operation, request);
  }
}

/**
 * @throws ApiError INVALID_CONTENT_TYPE for a body without a type, where several types are
 * accepted.
 */
function rawBodyOf({ rawTypes, oidc }: AnyOperation, request: HttpRequest): Buffer | undefined {
  if (rawTypes === undefined) return undefined;
  const type = typeOf(request);
  if (type === '' && request.body.length > 0) throw wrongType(oidc);
  return rawTypes.includes(type) ? request.body : undefined;
}

function bodyOf(operation: AnyOperation, request: HttpRequest): unknown {
  if (operation.body === undefined) return undefined;
  if (operation.bodyType !== undefined) return textOf(operation.bodyType, request);
  const type = request.header('content-type');
  if (request.body.length > 0 && type !== '' && !type.toLowerCase().includes('json')) {
    throw wrongType(operation.oidc);
  }
  const json = parseJson(request.body);
  if (json !== undefined && json !== null) return checkBody(operation.body, json);
  if (operation.bodyOptional) return {};
  throw fieldError('body', 'is required', '');
}

function wrongType(oidc: AnyOperation['oidc']): ApiError {
  return new ApiError('INVALID_CONTENT_TYPE', oidc === undefined ? {} : { status: 415 });
}

/** A body that is not JSON, as its operation reads it; a body without a type is accepted. */
function textOf(wanted: string, request: HttpRequest): string {
  const type = typeOf(request);
  if (type !== '' && type !== wanted) throw new ApiError('INVALID_CONTENT_TYPE');
  return request.body.toString('utf8');
}

/** The content type of a body without its parameters, in lower case; empty for none. */
function typeOf(request: HttpRequest): string {
  const [type = ''] = request.header('content-type').split(';', 1);
  return type.trim().toLowerCase();
}
