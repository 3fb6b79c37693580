// One request as its operation sees it.

import type { AuthEnvironment } from '../../auth/context.ts';
import { type Bearers, bearersOf } from '../../auth/external-jwt/candidates.ts';
import type { ApiName } from '../../declare/operations/apis.ts';
import type { BearerToken, Caller, Context, Paging } from '../../declare/operations/operation.ts';
import { pagingOf } from '../../declare/operations/paging.ts';
import { ApiError, tokenMissing } from '../../errors/errors.ts';
import { StepBudget } from '../../filter/budget.ts';
import type { Budget } from '../../filter/scope.ts';
import type { HttpRequest } from '../../platform/http-exchange.ts';
import type { RecordBase, Row } from '../../store/record.ts';
import type { Transaction } from '../../store/transaction.ts';

/** A record that prepared facts rest on. */
export interface Basis {
  readonly kind: string;
  readonly id: string;
  readonly record: RecordBase;
}

/** The context of one request; lives until its answer is decided. */
export class RequestContext<Env extends AuthEnvironment> implements Context<unknown, Env> {
  readonly env: Env;
  readonly api: ApiName;
  readonly requestId: string;
  readonly request: HttpRequest;
  readonly params: Readonly<Record<string, string>>;
  callerIfAny: Caller | undefined;
  body: unknown;
  rawBody: Buffer | undefined;
  now: number;
  bases: Basis[] = [];
  #query: URLSearchParams | undefined;
  #bearers: Bearers | undefined;
  #viewer: Caller['identity'] | undefined;
  #tx: Transaction | undefined;
  #budgets: StepBudget[] | undefined;
  #stepsCounted = 0;

  constructor(
    options: Pick<RequestContext<Env>, 'env' | 'api' | 'requestId' | 'request' | 'params' | 'now'>,
  ) {
    this.env = options.env;
    this.api = options.api;
    this.requestId = options.requestId;
    this.request = options.request;
    this.params = options.params;
    this.now = options.now;
  }

  get query(): URLSearchParams {
    return (this.#query ??= new URLSearchParams(this.request.query));
  }

  get bearerTokens(): readonly BearerToken[] {
    return this.#readBearers().foreign;
  }

  get ownTokens(): readonly string[] {
    return this.#readBearers().own;
  }

  #readBearers(): Bearers {
    const { accessTokens } = this.env;
    return (this.#bearers ??= bearersOf(this.request, (text) => accessTokens.isOwn(text)));
  }

  /**
   * Must be called before the first wait, because the headers of the request are gone afterwards.
   */
  keepHeaders(): void {
    this.request.keepHeaders();
  }

  get caller(): Caller {
    if (this.callerIfAny === undefined) throw tokenMissing();
    return this.callerIfAny;
  }

  get viewer(): Caller['identity'] {
    return this.#viewer ?? this.caller.identity;
  }

  seeAs(identity: Caller['identity']): void {
    this.#viewer = identity;
  }

  get tx(): Transaction {
    if (this.#tx === undefined) throw new Error('this operation is not declared to write');
    return this.#tx;
  }

  get paging(): Paging {
    const { limits } = this.env;
    if (this.request.query === '') return { limit: limits.pageRowsDefault, offset: 0 };
    const limit = integer(this.query, 'limit') ?? 0;
    return pagingOf(limits, { limit, offset: integer(this.query, 'offset') ?? 0 });
  }

  filterBudget(): Budget {
    const { callerIfAny, env } = this;
    const share = callerIfAny && env.rates.filterShare(callerIfAny);
    const budget = new StepBudget(env.limits, share);
    if (share !== undefined) (this.#budgets ??= []).push(budget);
    return budget;
  }

  /** Counts what filters took since the last call against what the caller may take. */
  countFilterSteps(): void {
    if (this.#budgets === undefined || this.callerIfAny === undefined) return;
    let spent = 0;
    for (const budget of this.#budgets) spent += budget.spent;
    if (spent === this.#stepsCounted) return;
    this.env.rates.countFilterSteps(this.callerIfAny, spent - this.#stepsCounted);
    this.#stepsCounted = spent;
  }

  restsOn(kind: string, row: Row): void {
    this.bases.push({ kind, id: row.record.id, record: row.record });
  }

  /**
   * Whether every record that the facts depend on is unchanged since they were prepared. Notes the
   * records as read.
   */
  get factsHold(): boolean {
    return this.bases.every(
      ({ kind, id, record }) => this.env.store.tableNamed(kind).find(id)?.record === record,
    );
  }

  /** Runs `decide` with the transaction open and its time as `now`. */
  within<T>(tx: Transaction, decide: () => T): T {
    this.#tx = tx;
    this.now = tx.now;
    try {
      return decide();
    } finally {
      this.#tx = undefined;
    }
  }
}

/**
 * Integers of 64 bits have up to 19 digits, and answers show the largest one as their limit. Beyond
 * those that a number holds exactly, no list has rows, so they count as the largest of these.
 */
function integer(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  if (text === null || text === '') return undefined;
  if (!/^[+-]?\d{1,19}$/.test(text)) {
    const cause = { field: name, reason: 'must be an integer', value: text.slice(0, 64) };
    throw new ApiError('INVALID_PAGINATION', { cause });
  }
  return Math.max(Number.MIN_SAFE_INTEGER, Math.min(Number.MAX_SAFE_INTEGER, Number(text)));
}
