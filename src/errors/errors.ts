// The error classes: the error that a client is answered with, and the one that ends a start.

import type { Header } from '../platform/http-exchange.ts';
import { type ErrorCode, type ErrorCodeRow, errorCodes } from './error-codes.ts';

/** A refused value, its position and the reason (behaviour/errors#causes). */
export interface FieldCause {
  readonly field: string;
  readonly reason: string;
  /** A string rendering, shortened and free of secrets; a list of ids where entities are in use. */
  readonly value: string | readonly string[];
}

/** The error that caused an error. */
export interface NestedCause {
  readonly code: ErrorCode;
  readonly message: string;
  readonly data?: Readonly<Record<string, unknown>>;
  readonly cause?: ErrorCause;
}

/** Facts about the error, such as the posture checks that failed. */
export interface DataCause {
  readonly message: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** The content of `cause` in an error body. */
export type ErrorCause = FieldCause | NestedCause | DataCause;

/** The optional parts of an error. */
export interface ApiErrorOptions {
  readonly message?: string;
  /** One of the further statuses that the table allows the code. */
  readonly status?: number;
  readonly cause?: ErrorCause;
  readonly headers?: readonly Header[];
}

/**
 * The error that a client is answered with. It is thrown on ordinary paths, so it records no stack:
 * with a stack it costs 5 µs, without it 0.5. It holds nothing that its caller may not read.
 */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly code: ErrorCode;
  readonly status: number;
  override readonly cause: ErrorCause | undefined;
  readonly headers: readonly Header[];

  /**
   * @throws RangeError for a status that the table does not allow for the code, which is a bug in
   * the program.
   */
  constructor(code: ErrorCode, options: ApiErrorOptions = {}) {
    const row: ErrorCodeRow = errorCodes[code];
    const depth = Error.stackTraceLimit;
    Error.stackTraceLimit = 0;
    super(options.message ?? row.message);
    Error.stackTraceLimit = depth;
    const status = options.status ?? row.status;
    if (status !== row.status && !row.also?.includes(status)) {
      throw new RangeError(`${code} is never answered with status ${status}`);
    }
    this.code = code;
    this.status = status;
    this.cause = options.cause;
    this.headers = options.headers ?? [];
  }
}

/**
 * Ends a start with one sentence for the operator: a home that is locked or unreadable, a port in
 * use, a wrong setting. The exit code depends on its `cause`.
 */
export class StartProblem extends Error {
  override readonly name: string = 'StartProblem';
}

/** The API information in every envelope, including errors (behaviour/answers#envelope). */
export const envelopeMeta = { apiVersion: '0.0.1', apiEnrollmentVersion: '0.0.1' } as const;

/** The JSON body of an error (behaviour/errors#body). */
export function errorBody(error: ApiError, requestId: string): string {
  const { code, message, cause } = error;
  return JSON.stringify({
    error: { code, message, requestId, ...(cause === undefined ? {} : { cause }) },
    meta: envelopeMeta,
  });
}

/**
 * The error to answer when `thrown` was caught. An error that is not meant for clients becomes
 * `UNHANDLED` without its text, which may hold paths, keys or another user's data. The caller logs
 * it.
 */
export function asApiError(thrown: unknown): ApiError {
  return thrown instanceof ApiError ? thrown : new ApiError('UNHANDLED');
}

/** 400 for one field: every validation failure has this shape (behaviour/errors#causes). */
export function fieldError(field: string, reason: string, value: unknown): ApiError {
  const secret = isHiddenName(lastStep(field)) && value !== undefined;
  const cause = { field, reason, value: secret ? secretMask : rendered(value) };
  return new ApiError('COULD_NOT_VALIDATE', { cause });
}

/**
 * 404 for an id that is unknown or hidden from the caller, `entity` in words
 * (behaviour/errors#unknown-ids).
 */
export function notFound(entity: string, id: string): ApiError {
  const message = `${entity} with id ${shortened(id)} not found`;
  return new ApiError('NOT_FOUND', { cause: { code: 'NOT_FOUND', message } });
}

/** 429 for one `field` more than a caller may have; `reason` names the bound. */
export function quotaExceeded(field: string, reason: string): ApiError {
  return new ApiError('QUOTA_EXCEEDED', { cause: { field, reason, value: '' } });
}

/**
 * 409 (or the status the specification gives the kind) for the delete of what `ids` refer to by
 * `field`.
 */
export function referencedError(field: string, ids: readonly string[], status = 409): ApiError {
  const cause = { field, reason: 'the entity is referenced', value: ids };
  return new ApiError('CAN_NOT_DELETE_REFERENCED_ENTITY', { status, cause });
}

/**
 * 401 without a challenge, for a caller whose rights do not go that far
 * (behaviour/permissions#refusals).
 * @param status 403 where the operation refuses missing rights so
 */
export function notPermitted(reason: string, status?: 403): ApiError {
  const cause = { code: 'UNHANDLED', message: reason } as const;
  return new ApiError('UNAUTHORIZED', status === undefined ? { cause } : { status, cause });
}

/** The parts of one challenge; the order is that of the header. */
export interface Challenge {
  readonly scheme: 'zt-session' | 'Bearer';
  readonly realm: string;
  readonly error: 'missing' | 'invalid' | 'expired';
  readonly description: string;
  /** Further parts, such as `id` and `issuer` of the signers that would do. */
  readonly parts?: Readonly<Record<string, string>>;
}

/**
 * 401 `UNAUTHORIZED`. Challenges become its `WWW-Authenticate` (behaviour/errors#challenges); a
 * session that merely lacks a right is given none.
 */
export function unauthorized(...challenges: Challenge[]): ApiError {
  if (challenges.length === 0) return new ApiError('UNAUTHORIZED');
  const value = challenges.map(challengeText).join(',');
  return new ApiError('UNAUTHORIZED', { headers: [['WWW-Authenticate', value]] });
}

/** 401 for a request without any token. */
export function tokenMissing(): ApiError {
  return unauthorized(
    {
      scheme: 'zt-session',
      realm: 'zt-session',
      error: 'missing',
      description: 'the request carries no session token',
    },
    {
      scheme: 'Bearer',
      realm: 'openziti-oidc',
      error: 'missing',
      description: 'the request carries no bearer token',
    },
  );
}

/** 401 for a session token that is unknown, ended or expired; the answer does not say which. */
export function tokenInvalid(): ApiError {
  return unauthorized({
    scheme: 'zt-session',
    realm: 'zt-session',
    error: 'invalid',
    description: 'the session token is not or no longer valid',
  });
}

/** 401 for an access token that has expired, or is not good for any other reason. */
export function accessTokenRefused(error: 'invalid' | 'expired'): ApiError {
  const description = `the access token ${error === 'expired' ? 'has expired' : 'is not or no longer valid'}`;
  return unauthorized({ scheme: 'Bearer', realm: 'openziti-oidc', error, description });
}

/** The text that replaces a secret. */
export const secretMask = '******';

/**
 * Whether a field or header of this name holds a value that must never be echoed or logged. It is a
 * guess for free-form values only, because declared fields are marked as secret.
 */
export function isSecretName(name: string): boolean {
  return secretEnding.test(name) || sessionHeader.test(name);
}

/** In bodies `code` is an MFA code; in logs it is the name of an error. */
const isHiddenName = (name: string) => name === 'code' || isSecretName(name);

const secretEnding = new RegExp(
  '((password|passphrase|secret|token|jwt|credential|(api|private)[_-]?key|recovery_?code)s?|' +
    'private|authorization|validation-codes?)$',
  'i',
);
const sessionHeader = /^(net|zt)-session$/i;

/** Characters of a refused value that an error echoes. @bound per request */
const echoedCharactersMax = 64;

function shortened(text: string): string {
  return text.length > echoedCharactersMax ? `${text.slice(0, echoedCharactersMax)}...` : text;
}

function rendered(value: unknown): string {
  if (typeof value === 'string') return shortened(value);
  return value === undefined ? '' : shortened(JSON.stringify(value, sparingly) ?? String(value));
}

/**
 * JSON replacer: masks secrets, and cuts parts that `shortened` would cut anyway, so that a large
 * body costs little.
 */
function sparingly(name: string, value: unknown): unknown {
  if (isHiddenName(name) && value !== null) return secretMask;
  if (typeof value === 'string') return value.slice(0, echoedCharactersMax + 1);
  return Array.isArray(value) ? value.slice(0, echoedCharactersMax) : value;
}

function lastStep(field: string): string {
  return field.slice(field.lastIndexOf('.') + 1);
}

function challengeText({ scheme, realm, error, description, parts }: Challenge): string {
  const all = { realm, error, error_description: description, ...parts };
  const pairs = Object.entries(all).map(([key, value]) => `${key}=${quoted(value)}`);
  return `${scheme} ${pairs.join(' ')}`;
}

/** A quoted-string of RFC 9110 §5.6.4, without control characters, which are not allowed in it. */
function quoted(text: string): string {
  const plain = text.replace(/[^\x20-\x7e]/g, '').replace(/["\\]/g, '\\$&');
  return `"${plain}"`;
}
