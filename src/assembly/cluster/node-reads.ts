// Decides which requests this node answers while it follows, from the frames that it has applied
// and from the answers of its leader.

import { lastActivityOf } from '../../auth/activity.ts';
import { isFirstUse } from '../../auth/oidc/first-use.ts';
import { ReadIndex, type ReadStanding } from '../../cluster/node/read-index.ts';
import { SessionUses } from '../../cluster/node/session-uses.ts';
import type { AnyOperation, Caller } from '../../declare/operations/operation.ts';
import type { FoundCaller } from '../../http/application/authorization.ts';
import type { FollowingReads } from '../../http/application/following-reads.ts';
import type { Routes } from '../../http/application/routes.ts';
import { apiSessionKind } from '../../records/api-session.ts';
import type { Following } from '../../store/following.ts';
import type { ControllerEnvironment } from '../controller-environment.ts';
import type { LeaderPort } from '../core-options.ts';
import { followingEnvironment } from './following-environment.ts';
import { RequestFates } from './request-fates.ts';

/** The options of the reads of a node. */
interface NodeReadsOptions {
  readonly env: ControllerEnvironment;
  readonly following: Following;
  readonly leader: LeaderPort;
  readonly routes: Routes<ControllerEnvironment>;
}

/** The reads of a node of a cluster. It is told when frames were applied. */
export class NodeReads implements FollowingReads<ControllerEnvironment> {
  readonly env: ControllerEnvironment;
  readonly #own: ControllerEnvironment;
  readonly #index: ReadIndex;
  readonly #uses: SessionUses;
  readonly #fates: RequestFates<ControllerEnvironment>;
  #isFollowing = true;

  constructor({ env, following, leader, routes }: NodeReadsOptions) {
    const { clock, limits } = env;
    this.#own = env;
    this.env = followingEnvironment(env, (caller) => this.#noteUse(caller));
    this.#index = new ReadIndex({
      clock,
      appliedLsn: () => following.lastLsn,
      ask: leader.ask,
      waitingMax: limits.writesWaitingMax,
    });
    this.#uses = new SessionUses({
      clock,
      report: leader.report,
      acknowledged: (uses) => {
        for (const { id, atMs } of uses) {
          const slot = env.store.table(apiSessionKind).peek(id)?.slot;
          if (slot !== undefined) env.activity.advance(slot, atMs);
        }
      },
    });
    const waitMs = env.config.cluster?.leaderWaitMs ?? 0;
    this.#fates = new RequestFates({ following, routes, clock, waitMs });
    following.onApplied(() => {
      this.#index.applied();
      this.#fates.applied();
    });
  }

  get isFollowing(): boolean {
    return this.#isFollowing;
  }

  /** The node leads, and serves as the leader from now on. */
  lead(): void {
    this.#isFollowing = false;
  }

  onceSettled(then: (standing: ReadStanding) => void): void {
    // Once it begins to lead, its memory has more than what is confirmed.
    this.#index.onceSettled((standing) => then(this.#own.store.isAttached ? 'unheard' : standing));
  }

  /**
   * A session that is unknown here, or idle too long, may not be so for the leader. What a session
   * owes or rests on takes keys of signers, and writes.
   */
  needsLeader(found: FoundCaller, { answered }: Pick<AnyOperation, 'answered'>): boolean {
    if (found === undefined) return false;
    if (typeof found === 'string') return true;
    return (
      found.isPartial ||
      found.secondFactorUntil !== undefined ||
      isFirstUse(found) ||
      (answered === 'unasked' && this.#hasPosture(found)) ||
      this.#isHalfIdle(found)
    );
  }

  /** As `Core.decideLost`. */
  readonly decideLost: RequestFates<ControllerEnvironment>['decide'] = (lost, then) =>
    this.#fates.decide(lost, then);

  /** A feed that was opened before may go on once the node leads. */
  #noteUse(caller: Pick<Caller, 'session'>): void {
    const { record } = caller.session;
    if (!this.#isFollowing) this.#own.noteUse(caller);
    else if (record.jwt === undefined) this.#uses.note(record.id);
  }

  /** Whether posture may change what a caller sees. */
  #hasPosture({ identity }: Caller): boolean {
    const { posture } = this.#own;
    return posture.isUsed || posture.dataOf(identity.id) !== undefined;
  }

  /** Whether half of the idle time has passed by what the leader knows of. */
  #isHalfIdle({ session: { record, slot } }: Caller): boolean {
    if (record.jwt !== undefined) return false;
    const { activity, clock, config } = this.#own;
    const idleMs = clock.now() - lastActivityOf(activity, record, slot);
    return idleMs > (config.session.timeoutMinutes * 60_000) / 2;
  }
}
