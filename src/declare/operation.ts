// An operation: one method on one path, what it takes, what it answers, and its two parts.

import type { KeyObject } from 'node:crypto';
import type { Static, TSchema } from 'typebox';
import type { ApiError } from '../errors.ts';
import type { HttpRequest, ReplyStream } from '../exchange.ts';
import type { Budget } from '../filter/contract.ts';
import type { RecordBase, Row } from '../store/record.ts';
import type { Transaction } from '../store/transaction.ts';
import type { Environment } from './environment.ts';

/** The two APIs (behaviour/requests#the-two-apis). */
export type ApiName = 'client' | 'management';

/**
 * Where each API lives; the first is its name in links and version information
 * (behaviour/requests#paths).
 */
export const basePaths: Readonly<Record<ApiName, string>> = {
  client: '/edge/client/v1',
  management: '/edge/management/v1',
};

/** Verbs that operations use. */
export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/**
 * Who may call: anybody; whoever holds a session, also a partial one; a full session; an
 * administrator; or an administrator with the 403 of behaviour/requests#rights for others.
 */
export type Access = 'public' | 'partial' | 'full' | 'admin' | 'admin-or-403';

/** How somebody shows who they are, for counting. */
export type AuthenticationMethod = 'password' | 'cert' | 'ext-jwt' | 'mfa' | 'unknown';

/** The authenticated caller of an operation. */
export interface Caller {
  /** Row of the API session the request came with. */
  readonly session: Row;
  /** In clear, as the request carries it; records hold it sealed. */
  readonly token: string;
  readonly identity: RecordBase;
  readonly isAdmin: boolean;
  /** Secondary factors are pending. */
  readonly isPartial: boolean;
}

/** A bearer token that came with a request. Only the judge of external JWTs writes to it. */
export interface BearerToken {
  readonly text: string;
  /** The last check of its signature; undefined before the first. */
  signature: SignatureCheck | undefined;
}

/** By which key a signature was checked, and what came of it. */
export interface SignatureCheck {
  readonly key: KeyObject;
  readonly isValid: boolean;
}

/** A piece of an answer: text, or UTF-8 bytes kept from an earlier answer. */
export type Piece = string | Uint8Array;

/** What an operation answers; `src/http` turns it into bytes. */
export type Reply =
  | {
      readonly form: 'data';
      readonly status: 200 | 201 | 202;
      /** JSON text of `data`, in pieces. */
      readonly data: readonly Piece[];
      readonly list?: ListFigures;
      readonly headers?: readonly (readonly [string, string])[];
    }
  /**
   * What was written stays, yet the caller is refused: a wrong password that locks its identity
   * out.
   */
  | { readonly form: 'refused'; readonly error: ApiError }
  | {
      readonly form: 'bare';
      readonly status: 200;
      readonly contentType: string;
      readonly body: Piece;
      readonly headers?: readonly (readonly [string, string])[];
    }
  /** An answer that goes on after its request: what follows is written to the stream. */
  | {
      readonly form: 'stream';
      readonly status: 200;
      readonly contentType: string;
      readonly headers?: readonly (readonly [string, string])[];
      /** Called once, when the answer begins; never for a peer that has gone by then. */
      readonly open: (stream: ReplyStream) => void;
    };

/** `meta.pagination` and `meta.filterableFields` of a list. */
export interface ListFigures {
  readonly limit: number;
  readonly offset: number;
  readonly totalCount: number;
  readonly filterableFields: readonly string[];
}

/** Paging as asked for, within its bounds (behaviour/lists#paging). -1 as `limit` means all. */
export interface Paging {
  readonly limit: number;
  readonly offset: number;
}

/** All that an operation knows of the request it serves. */
export interface Context<Body = unknown> {
  readonly env: Environment;
  readonly api: ApiName;
  readonly requestId: string;
  /** Wall-clock ms: within `decide` of a writing operation the transaction's own time. */
  readonly now: number;
  readonly request: HttpRequest;
  /** Path parameters, percent-decoded. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** Checked against the declared schema. */
  readonly body: Body;
  /**
   * A body that came under one of the operation's `rawTypes`, as it was sent; `body` is then the
   * empty object. Undefined for one that came as JSON.
   */
  readonly rawBody: Buffer | undefined;
  /** External JWTs that came along, as `bearerTokens` in auth/ finds them. */
  readonly bearerTokens: readonly BearerToken[];
  /** @throws ApiError 401 when the operation is public and nobody is logged in. */
  readonly caller: Caller;
  /** Who is logged in, also where the operation is public. */
  readonly callerIfAny: Caller | undefined;
  /**
   * The identity through whose eyes records are shown: the caller's, unless another one's view is
   * asked for (behaviour/services#viewer). @throws ApiError 401 like `caller`.
   */
  readonly viewer: RecordBase;
  /** From here on the answer shows records as this identity sees them. */
  seeAs(identity: RecordBase): void;
  /** @throws ApiError INVALID_PAGINATION. */
  readonly paging: Paging;
  /** The transaction. @throws Error in an operation that is not declared to write. */
  readonly tx: Transaction;
  /** Says that the facts being prepared rest on this row's present record. */
  restsOn(kind: string, row: Row): void;
  /** What a filter may take; what it takes counts against what its caller may take. */
  filterBudget(): Budget;
}

/** An answer without envelope: its content type, or those that a caller can choose from. */
export interface BareAnswer {
  readonly bare: string | readonly string[];
}

/** One operation as declared. `Facts` is what `prepare` hands to `decide`. */
export interface OperationOptions<B extends TSchema, Facts> {
  /** The operation id of the published API. */
  readonly id: string;
  readonly apis: readonly ApiName[];
  readonly method: Method;
  /** Relative to the API's base: `/identities/{id}/disable`. */
  readonly path: string;
  readonly access: Access;
  readonly summary: string;
  readonly success: 200 | 201 | 202;
  /**
   * Schema of `data`; absent for the empty object and for what creations answer, `bare` for answers
   * without envelope (their content type, or several), a function for the schema of a resource that
   * is still being declared.
   */
  readonly answer?: TSchema | (() => TSchema) | BareAnswer;
  /** Further content types of the answer, without envelope, for callers that ask for them. */
  readonly rawAnswers?: readonly string[];
  /** `whole`: with the figures of a list, without its parameters. */
  readonly isList?: boolean | 'whole';
  readonly body?: B;
  /** Content type of the body, JSON when absent. */
  readonly bodyType?: string;
  /**
   * Content types beside JSON under which `Context.rawBody` takes the body as it is. Where there
   * are any, a body must name its type: nobody guesses it.
   */
  readonly rawTypes?: readonly string[];
  /** An absent body is fine. */
  readonly bodyOptional?: boolean;
  /** Query parameters beyond those of every list, for the OpenAPI document. */
  readonly query?: Readonly<Record<string, TSchema>>;
  /** Those of them that must be there. */
  readonly queryRequired?: readonly string[];
  /** Request headers that mean something to this operation alone, for the OpenAPI document. */
  readonly headers?: Readonly<Record<string, TSchema>>;
  /** Named error statuses. */
  readonly errors: readonly number[];
  /** The limit that stands in for `handlerTimeoutMs`. */
  readonly timeout?: 'snapshotTimeoutMs';
  /** Where the operation authenticates somebody: by what, as far as the request says. */
  authenticates?(request: Pick<HttpRequest, 'query'>): AuthenticationMethod;
  /** Runs `decide` in a transaction. */
  readonly writes?: boolean;
  /**
   * Creates records: refused while the heap is full, before `prepare`. `sometimes`: the operation
   * asks `Environment.memory` itself, where it comes to that.
   */
  readonly creates?: true | 'sometimes';
  /** May grant access to something: open consequences are carried out before it. */
  readonly grants?: boolean;
  /**
   * How its requests count against the rate of writes of a caller who is no administrator. Absent:
   * each does, before anything is done for it. `written`: only one that writes something, as it may
   * find what it asks for. `uncounted`: none. Deletions never count.
   */
  readonly rate?: 'written' | 'uncounted';
  /**
   * What must wait: hashing, fetching. Never writes. Its reads are noted with `restsOn`. Where a
   * request has nothing to wait for it answers no promise, and `decide` follows in the same turn.
   */
  prepare?(context: Context<Static<B>>): Promise<Facts> | Facts;
  /** Decides and answers, synchronously. */
  decide(context: Context<Static<B>>, facts: Facts): Reply;
}

/** An operation with its types forgotten, as the route table holds it. */
export type Operation = OperationOptions<TSchema, unknown>;

/** Declares an operation. */
export function operation<B extends TSchema, Facts = undefined>(
  options: OperationOptions<B, Facts>,
): Operation {
  return options as unknown as Operation;
}

/** `{}` with status 200: what updates, deletions and most actions answer. */
export const emptyReply: Reply = Object.freeze({ form: 'data', status: 200, data: ['{}'] });

/** One value as `data`. */
export function detail(data: readonly Piece[], headers?: readonly [string, string][]): Reply {
  return headers === undefined
    ? { form: 'data', status: 200, data }
    : { form: 'data', status: 200, data, headers };
}

/** The answer of a creation: 201 with `_links` and `id`. */
export function created(plural: string, id: string): Reply {
  const data = `{"_links":{"self":{"href":"./${plural}/${id}"}},"id":"${id}"}`;
  return { form: 'data', status: 201, data: [data] };
}
