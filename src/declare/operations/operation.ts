// An operation: one method on one path, its input, its answer, and its two steps.

import type { KeyObject } from 'node:crypto';
import type { Static, TSchema } from 'typebox';
import type { JwtSession } from '../../../machines/api-session.ts';
import type { ApiError } from '../../errors/errors.ts';
import type { Budget } from '../../filter/scope.ts';
import type { HttpRequest, ReplyStream } from '../../platform/http-exchange.ts';
import type { RecordBase, Row } from '../../store/record.ts';
import type { Transaction } from '../../store/transaction.ts';
import { type NeededPermission, permissionsThatOpen } from '../resources/permission-names.ts';
import type { ApiName } from './apis.ts';
import type { Environment } from './environment.ts';

/** Verbs that operations use. */
export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/**
 * The callers that are allowed: anybody; the holder of any session, even a partial one; of a full
 * session; an administrator; or an administrator with the 403 of behaviour/requests#rights for
 * others.
 */
export type Access = 'public' | 'partial' | 'full' | 'admin' | 'admin-or-403';

/**
 * Where a cluster answers an operation (behaviour/cluster#reads). `leader`: on the leader alone,
 * because the operation writes, or needs what only the leader's memory has. `here`: on any node,
 * from its records. `unasked`: as `here` while there is no posture check and the caller has
 * submitted no posture data, because only the leader knows about posture what is in no frame.
 * `own`: on any node, which tells of itself and reads no record.
 */
export type Answered = 'leader' | 'here' | 'unasked' | 'own';

/** The method of an authentication, for counting. */
export type AuthenticationMethod = 'password' | 'cert' | 'ext-jwt' | 'mfa' | 'unknown';

/** The fields of the caller's API session that operations read. */
export type CallerSession = RecordBase & {
  readonly state: string;
  readonly identityId: string;
  readonly authenticatorId: string;
  readonly configTypes: readonly string[];
  readonly ipAddress: string;
  readonly isMfaRequired: boolean;
  readonly isMfaComplete: boolean;
  readonly improperClientCertChain: boolean;
  readonly lastActivityAt: number | undefined;
  readonly mfaPassedAt: number | undefined;
  readonly secondFactorUntil: number | undefined;
  /** Undefined for a session with an opaque token. */
  readonly jwt: JwtSession | undefined;
};

/** The fields of a caller's or viewer's identity that operations read. */
type CallerIdentity = RecordBase & {
  readonly name: string;
  /** Sorted. */
  readonly permissions: readonly string[];
  readonly serviceConfigs: readonly { readonly serviceId: string; readonly configId: string }[];
};

/** The access token of a caller who logged in at the OIDC provider. */
export interface CallerToken {
  /** Wall-clock ms. */
  readonly expiresAt: number;
  /** The refresh tokens of its session that were issued before it. */
  readonly generation: number;
  /** The client that it was issued to. */
  readonly audience: string;
  readonly issuer: string;
}

/** The authenticated caller of an operation. */
export interface Caller {
  /** Row of the API session of the request. */
  readonly session: Row<CallerSession>;
  /** In clear text, as the request carries it; records hold it sealed. */
  readonly token: string;
  readonly identity: CallerIdentity;
  readonly isAdmin: boolean;
  /** Secondary factors are pending. */
  readonly isPartial: boolean;
  /** As `Factors.secondFactorUntil`. */
  readonly secondFactorUntil: number | undefined;
  /** Undefined for a caller with an opaque token. */
  readonly access: CallerToken | undefined;
}

/** A bearer token of a request. Only the code that verifies external JWTs writes to it. */
export interface BearerToken {
  readonly text: string;
  /** The last check of its signature; undefined before the first. */
  signature: SignatureCheck | undefined;
}

/** The key that a signature was checked with, and the result. */
export interface SignatureCheck {
  readonly key: KeyObject;
  readonly isValid: boolean;
}

/** A chunk of an answer: text, or UTF-8 bytes kept from an earlier answer. */
export type Chunk = string | Uint8Array;

/** The caller is refused, but the writes stay: a wrong password that locks its identity out. */
export interface Refused {
  readonly form: 'refused';
  readonly error: ApiError;
}

/** The answer of an operation; `src/http` turns it into bytes. */
export type Reply =
  | {
      readonly form: 'data';
      readonly status: 200 | 201 | 202;
      /** JSON text of `data`, in chunks. */
      readonly data: readonly Chunk[];
      readonly list?: ListFigures;
      readonly headers?: readonly (readonly [string, string])[];
    }
  | Refused
  | {
      readonly form: 'bare';
      readonly status: 200 | 201 | 302 | 304 | 400 | 401;
      readonly contentType: string;
      readonly body: Chunk;
      readonly headers?: readonly (readonly [string, string])[];
    }
  /** A streamed answer that goes on after its request. */
  | {
      readonly form: 'stream';
      readonly status: 200;
      readonly contentType: string;
      readonly headers?: readonly (readonly [string, string])[];
      /** Called once, when the answer begins; never for a peer that has disconnected by then. */
      readonly open: (stream: ReplyStream) => void;
    };

/**
 * `meta.pagination` and `meta.filterableFields` of a list. Infinity as `limit` is shown as the
 * largest integer of 64 bits (behaviour/lists#paging).
 */
export interface ListFigures {
  readonly limit: number;
  readonly offset: number;
  readonly totalCount: number;
  readonly filterableFields: readonly string[];
}

/**
 * Paging as asked for, within its bounds (behaviour/lists#paging). Infinity as `limit` means all.
 */
export interface Paging {
  readonly limit: number;
  readonly offset: number;
}

/**
 * Everything that an operation knows about the request it serves. `Env` is what it may use of the
 * controller.
 */
export interface Context<Body = unknown, Env extends Environment = Environment> {
  readonly env: Env;
  readonly api: ApiName;
  readonly requestId: string;
  /** Wall-clock ms; within `decide` of a writing operation it is the transaction's time. */
  readonly now: number;
  readonly request: HttpRequest;
  /** Path parameters, percent-decoded. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** Checked against the declared schema. */
  readonly body: Body;
  /**
   * A body of one of the operation's `rawTypes`, as it was sent; `body` is then the empty object.
   * Undefined for a JSON body.
   */
  readonly rawBody: Buffer | undefined;
  /** External JWTs of the request, as `bearerTokens` in auth/ finds them. */
  readonly bearerTokens: readonly BearerToken[];
  /** @throws ApiError 401 when the operation is public and nobody is logged in. */
  readonly caller: Caller;
  /** The logged-in caller, also where the operation is public. */
  readonly callerIfAny: Caller | undefined;
  /**
   * The identity whose view of the records is shown: the caller's, unless the request asks for
   * another one's (behaviour/services#viewer). @throws ApiError 401 like `caller`.
   */
  readonly viewer: CallerIdentity;
  /** From here on the answer shows records as this identity sees them. */
  seeAs(identity: CallerIdentity): void;
  /** @throws ApiError INVALID_PAGINATION. */
  readonly paging: Paging;
  /** The transaction. @throws Error in an operation that is not declared to write. */
  readonly tx: Transaction;
  /** Notes that the facts being prepared rest on this row's present record. */
  restsOn(kind: string, row: Row): void;
  /** The steps that a filter may take; they count against the caller's budget. */
  filterBudget(): Budget;
}

/** The form of the errors of an operation of the OIDC provider (behaviour/oidc#errors). */
export type OidcErrors = 'protocol' | 'login';

/** An answer without envelope: its content type, or the types that a caller can choose from. */
export interface BareAnswer {
  readonly bare: string | readonly string[];
}

/**
 * One operation as declared. `Facts` is what `prepare` hands to `decide`, and `Env` what both may
 * use of the controller.
 */
export interface OperationOptions<B extends TSchema, Facts, Env extends Environment = Environment> {
  /**
   * Never set. The compiler compares it: whoever runs the operation must have what it needs. The
   * methods below do not show that, because their parameters are compared in both directions.
   */
  readonly needs?: (env: Env) => void;
  /** The operation id of the published API. */
  readonly id: string;
  /** The management API alone when absent; none for an operation of OIDC. */
  readonly apis?: readonly ApiName[];
  /**
   * For an operation of the OIDC provider: its path is relative to `/oidc`, it has neither envelope
   * nor description, and its errors are those of OAuth (`protocol`) or of a login.
   */
  readonly oidc?: OidcErrors;
  /** GET when absent. */
  readonly method?: Method;
  /** Relative to the API's base: `/identities/{id}/disable`. */
  readonly path: string;
  /** Only administrators when absent, and callers with a permission that opens it. */
  readonly access?: Access;
  /**
   * The permission that opens an operation of the management API to callers who are no
   * administrators. Required where `access` is left to administrators.
   */
  readonly permission?: NeededPermission;
  /** The cause of a refusal for a missing right, where it helps the caller. */
  readonly refusal?: string | undefined;
  readonly summary: string;
  /** 200 when absent. */
  readonly success?: 200 | 201 | 202;
  /**
   * Schema of `data`; absent for the empty object and for the answer of a creation, `bare` for
   * answers without envelope (their content type, or several), a function for the schema of a
   * resource that is still being declared.
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
   * Content types besides JSON for which `Context.rawBody` holds the body as it was sent. If there
   * are any, a body must name its type, because it is not guessed.
   */
  readonly rawTypes?: readonly string[];
  /** Whether the body may be absent. */
  readonly bodyOptional?: boolean;
  /** Query parameters beyond those of every list, for the OpenAPI document. */
  readonly query?: Readonly<Record<string, TSchema>>;
  /** The query parameters that are required. */
  readonly queryRequired?: readonly string[];
  /** Request headers that only this operation uses, for the OpenAPI document. */
  readonly headers?: Readonly<Record<string, TSchema>>;
  /** Named error statuses. */
  readonly errors: readonly number[];
  /** The limit that replaces `handlerTimeoutMs`. */
  readonly timeout?: 'snapshotTimeoutMs';
  /** For an operation that authenticates: the method, as far as the request names it. */
  authenticates?(request: Pick<HttpRequest, 'query'>): AuthenticationMethod;
  /** Whether `decide` runs in a transaction; when absent, it does unless the method is GET. */
  readonly writes?: boolean;
  /** Whether it does something that is in no frame, and that must not be done once more. */
  readonly actsOutside?: true;
  /** Required for an operation that does not write; the leader answers all others. */
  readonly answered?: Answered;
  /**
   * Creates records: refused while the heap is full, before `prepare`. `sometimes`: the operation
   * asks `Environment.memory` itself when it needs to.
   */
  readonly creates?: true | 'sometimes';
  /** May grant access to something: pending deferred cascades are carried out before it. */
  readonly grants?: boolean;
  /**
   * How its requests count against the write rate of a caller who is not an administrator. Absent:
   * each request counts, before any work is done for it. `written`: a request counts only if it
   * writes, because it may find what it asks for. `uncounted`: none counts. Deletions never count.
   */
  readonly rate?: 'written' | 'uncounted';
  /**
   * Does the work that must wait: hashing, fetching. Never writes. Its reads are noted with
   * `restsOn`. If a request has nothing to wait for, it returns no promise, and `decide` follows in
   * the same turn.
   */
  prepare?(context: Context<Static<B>, Env>): Promise<Facts> | Facts;
  /** Decides and answers, synchronously. */
  decide(context: Context<Static<B>, Env>, facts: Facts): Reply;
}

/** An operation without the types of its body and facts, as the route table holds it. */
export type Operation<Env extends Environment = Environment> = OperationOptions<
  TSchema,
  unknown,
  Env
> &
  Required<
    Pick<
      OperationOptions<TSchema, unknown>,
      'apis' | 'method' | 'access' | 'success' | 'writes' | 'answered'
    >
  > & {
    /** The permissions that open it, each of them alone. */
    readonly openedBy: readonly string[];
  };

/** An operation whatever it needs: it can be described, but not run. */
export type AnyOperation = Operation<never>;

/** Declares an operation. Each layer has its own form of this function (`operationFor`). */
export function operation<
  B extends TSchema,
  Facts = undefined,
  Env extends Environment = Environment,
>(options: OperationOptions<B, Facts, Env>): Operation<Env> {
  const { oidc, method = 'GET', access = 'admin', success = 200 } = options;
  const { apis = oidc === undefined ? ['management'] : [] } = options;
  const { writes = method !== 'GET' } = options;
  const { answered = writes ? 'leader' : undefined } = options;
  if (answered === undefined || (writes && answered !== 'leader')) {
    throw new Error(`${options.id}: where a cluster answers it is not declared, or cannot be so`);
  }
  const openedBy = permissionsThatOpen(options.permission, method);
  return { ...options, apis, method, access, success, writes, answered, openedBy };
}

/** The function with which a layer declares its operations; `Env` is what the layer may use. */
export function operationFor<Env extends Environment>() {
  return <B extends TSchema, Facts = undefined>(
    options: OperationOptions<B, Facts, Env>,
  ): Operation<Env> => operation(options);
}

/** `{}` with status 200: the answer of updates, deletions and most actions. */
export const emptyReply: Reply = Object.freeze({ form: 'data', status: 200, data: ['{}'] });

/** One value as `data`. */
export function detail(
  data: readonly Chunk[],
  headers?: readonly (readonly [string, string])[],
): Reply {
  return headers === undefined
    ? { form: 'data', status: 200, data }
    : { form: 'data', status: 200, data, headers };
}

/** The answer of a creation: 201 with `_links` and `id`. */
export function created(plural: string, id: string): Reply {
  const data = `{"_links":{"self":{"href":"./${plural}/${id}"}},"id":"${id}"}`;
  return { form: 'data', status: 201, data: [data] };
}
