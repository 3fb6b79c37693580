// Tells connected routers of the API sessions that may use them, and of sessions that have ended
// (behaviour/control-channel#api-session-sync).

import { contentTypes } from '../../channel/content-types.ts';
import { apiSessionKind } from '../../records/api-session.ts';
import {
  type EdgeRouterPolicyRecord,
  edgeRouterPolicyKind,
} from '../../records/edge-router-policy.ts';
import { type IdentityRecord, identityKind } from '../../records/identity.ts';
import { type RouterRecord, routerKind } from '../../records/router.ts';
import {
  type SessionCertificateRecord,
  sessionCertificateKind,
} from '../../records/session-certificate.ts';
import type { BoundValues } from '../../settings/bounds.ts';
import { type ChangeSet, type CommittedChange, isOf } from '../../store/transaction.ts';
import { inSlices } from '../../turns/slices.ts';
import type { RoutersContext } from '../context.ts';
import type { ConnectedRouter, MessageHandler, RouterFeature } from '../router-feature.ts';
import { ApiSessionMessages } from './api-session-messages.ts';
import { CertificateExpiries } from './certificate-expiries.ts';
import { isTold, sendEnded } from './ended-sessions.ts';
import { type Awaited, expecting, give, type KnownSessions } from './known-sessions.ts';
import { MovedMembers } from './moved-members.ts';
import { type IdentityHeard, ReportedTokens } from './reported-tokens.ts';
import { RouterGroups, type SyncedRouter } from './router-groups.ts';
import type { ApiSessionRow } from './session-chunks.ts';
import { type SessionGroup, SessionGroups } from './session-groups.ts';
import { SyncJobs, type SyncStatus } from './sync-jobs.ts';

/** The parts that the sync tells of what it does and hears. */
export interface ApiSessionSyncOptions {
  readonly status: SyncStatus;
  /** A router has said that a client of this identity is connected to it. */
  readonly heard: IdentityHeard;
  readonly bounds?: BoundValues | undefined;
}

/** Creates the feature. It follows the store from now on. */
export function createApiSessionSync(
  context: RoutersContext,
  options: ApiSessionSyncOptions,
): RouterFeature {
  const sync = new ApiSessionSync(context, options);
  const reported = new ReportedTokens(context, {
    heard: options.heard,
    find: (router) => sync.find(router),
  });
  return {
    handlers: new Map<number, MessageHandler>([
      [contentTypes.requestClientReSync, (router) => sync.resync(router)],
      [contentTypes.apiSessionHeartbeat, (router, frame) => reported.heartbeat(router, frame)],
      [contentTypes.validateSessions, (router, frame) => reported.validate(router, frame)],
    ]),
    succeedFormer: () => reported.succeedFormer(),
    connected: (router) => sync.connected(router),
    greeted: (router) => sync.greeted(router),
    disconnected: (router) => sync.disconnected(router),
  };
}

/** Any router and any identity may have other policies than were read. */
const everything = { areRoutersStale: true, areIdentitiesStale: true } as const;

/** How long a slice of work takes. */
const sliceMs = 2;

/** How long encoded messages are kept after the last router has got them. */
const bodiesKeptMs = 60_000;

class ApiSessionSync {
  readonly #context: RoutersContext;
  readonly #options: ApiSessionSyncOptions;
  readonly #messages: ApiSessionMessages;
  readonly #moved: MovedMembers;
  /** Undefined while no router is connected: nothing is computed then. */
  #known: KnownSessions | undefined;

  constructor(context: RoutersContext, options: ApiSessionSyncOptions) {
    this.#context = context;
    this.#options = options;
    this.#messages = new ApiSessionMessages(context);
    this.#moved = new MovedMembers({
      context,
      messages: this.#messages,
      later: (known, row) => this.#later(known, { lsn: row.lsn, row, isUpdate: false }),
    });
    context.env.store.follow((changes) => {
      if (this.#known !== undefined) this.#follow(this.#known, changes);
    });
    context.env.access.onRenewal(() => {
      if (this.#known !== undefined) this.#stale(this.#known, 0, everything);
    });
  }

  /** A connected router as it is known here. */
  find(router: ConnectedRouter): SyncedRouter | undefined {
    const found = this.#known?.routers.get(router.id);
    return found?.router === router ? found : undefined;
  }

  connected(router: ConnectedRouter): void {
    const known = this.#known ?? this.#begin();
    // The newest connection of a router wins; the former may not have ended yet.
    const former = known.routers.get(router.id);
    if (former !== undefined) this.#forget(known, former);
    known.routers.add(router);
  }

  greeted(router: ConnectedRouter): void {
    const [known, synced] = [this.#known, this.find(router)];
    if (known === undefined || synced === undefined) return;
    synced.isGreeted = true;
    if (known.isWhole) known.jobs.full(synced);
    else if (known.isWhole === undefined) {
      known.isWhole = false;
      known.areIdentitiesStale = true;
      this.#catchUp(known);
    }
  }

  resync(router: ConnectedRouter): void {
    const [known, synced] = [this.#known, this.find(router)];
    if (!known?.isWhole || !synced?.isGreeted) return;
    // A router may ask at any rate.
    if (synced.job?.isFull && synced.job.id === '') return;
    this.#options.status.resync(router.id);
    known.jobs.full(synced);
  }

  disconnected(router: ConnectedRouter): void {
    const [known, synced] = [this.#known, this.find(router)];
    if (known === undefined || synced === undefined) return;
    this.#forget(known, synced);
    if (known.routers.size === 0) this.#known = undefined;
  }

  #forget({ jobs, routers }: KnownSessions, router: SyncedRouter): void {
    jobs.drop(router);
    routers.delete(router);
  }

  #begin(): KnownSessions {
    const { env } = this.#context;
    const { clock, ids } = env;
    const { status, bounds } = this.#options;
    const sessions = new SessionGroups(env);
    const routers = new RouterGroups(env);
    const groupsOf = ({ group }: SyncedRouter) => sessions.under(group.policies);
    let isForgetting = false;
    const idle = () => {
      if (isForgetting) return;
      isForgetting = true;
      clock.after(bodiesKeptMs, () => {
        isForgetting = false;
        sessions.forgetBodies();
      });
    };
    const messages = this.#messages;
    const known: KnownSessions = {
      sessions,
      routers,
      status,
      expiries: new CertificateExpiries({
        context: this.#context,
        isOver: () => this.#known !== known,
        expired: ({ apiSessionId }) => this.#tellExpired(known, apiSessionId),
      }),
      jobs: new SyncJobs({ clock, ids, messages, status, groupsOf, idle, bounds }),
      isWhole: undefined,
      areRoutersStale: false,
      areIdentitiesStale: false,
      isCatchingUp: false,
      awaited: [],
    };
    this.#known = known;
    known.expiries.start();
    return known;
  }

  /** What takes access leaves at once, what gives it waits until its frame is durable. */
  #follow(known: KnownSessions, { lsn, changes }: ChangeSet): void {
    sendEnded(this.#context.env, known, this.#messages, changes);
    let added: Set<string> | undefined;
    for (const change of changes) {
      if (isOf(change, apiSessionKind)) {
        const { row, before, after } = change;
        if (isTold(before) || !isTold(after)) continue;
        this.#later(known, { lsn, row, isUpdate: false });
        (added ??= new Set()).add(row.id);
      } else if (isOf(change, identityKind) || isOf(change, routerKind)) {
        this.#memberChanged(known, lsn, change);
      } else if (isOf(change, edgeRouterPolicyKind)) {
        if (!hasOtherRoles(change)) continue;
        this.#stale(known, lsn, everything);
      }
    }
    for (const change of changes) {
      if (isOf(change, sessionCertificateKind)) this.#certificateChanged(known, lsn, change, added);
    }
  }

  #memberChanged(
    known: KnownSessions,
    lsn: number,
    { row: { id }, table, before, after }: CommittedChange<IdentityRecord | RouterRecord>,
  ): void {
    if (before?.roleAttributes === after?.roleAttributes) return;
    if (table.kind === routerKind.kind) {
      if (known.routers.get(id) !== undefined) this.#stale(known, lsn, { areRoutersStale: true });
    } else if (known.sessions.groupOf(id) !== undefined) {
      this.#whenDurable(known, lsn, () => this.#moved.moveIdentity(known, id));
    }
  }

  #stale(known: KnownSessions, lsn: number, stale: Partial<KnownSessions>): void {
    this.#whenDurable(known, lsn, () => {
      Object.assign(known, stale);
      this.#catchUp(known);
    });
  }

  #certificateChanged(
    known: KnownSessions,
    lsn: number,
    { row: certificate, before, after }: CommittedChange<SessionCertificateRecord>,
    added: ReadonlySet<string> | undefined,
  ): void {
    if (after !== undefined) known.expiries.note(certificate);
    const id = (after ?? before)?.apiSessionId;
    if (id === undefined || added?.has(id)) return;
    const row = this.#context.env.store.table(apiSessionKind).peek(id);
    if (row === undefined || !isTold(row.record)) return;
    // A certificate that is gone is taken away at once.
    if (after === undefined) this.#sendUpdated(known, [row]);
    else this.#later(known, { lsn, row, isUpdate: true });
  }

  #tellExpired(known: KnownSessions, apiSessionId: string): void {
    const row = this.#context.env.store.table(apiSessionKind).peek(apiSessionId);
    if (row !== undefined && isTold(row.record)) this.#sendUpdated(known, [row]);
  }

  #later(known: KnownSessions, next: Awaited): void {
    const { awaited } = known;
    let at = awaited.length;
    while (at > 0 && (awaited[at - 1]?.lsn ?? 0) > next.lsn) at -= 1;
    awaited.splice(at, 0, next);
    this.#whenDurable(known, next.lsn, () => this.#tellAwaited(known));
  }

  /** Waiters of one frame are called in their order, so this comes before its answer. */
  #whenDurable(known: KnownSessions, lsn: number, then: () => void): void {
    this.#context.durable.when(lsn, () => {
      if (this.#known === known) then();
    });
  }

  /** Tells of everything that is durable by now at once: one message for many logins. */
  #tellAwaited(known: KnownSessions): void {
    const { env, durable } = this.#context;
    const { awaited } = known;
    let count = 0;
    while (count < awaited.length && (awaited[count]?.lsn ?? 0) <= durable.lsn) count += 1;
    if (count === 0) return;
    const table = env.store.table(apiSessionKind);
    const added = new Map<SessionGroup, ApiSessionRow[]>();
    const updated: ApiSessionRow[] = [];
    for (const { row, isUpdate } of awaited.splice(0, count)) {
      if (table.peek(row.id) !== row || !isTold(row.record)) continue;
      const group = known.sessions.add(row);
      if (group === undefined) {
        if (isUpdate) updated.push(row);
      } else if (added.has(group)) added.get(group)?.push(row);
      else added.set(group, [row]);
    }
    const told = new Set<SyncedRouter>();
    for (const [group, rows] of added) this.#moved.giveAdded(known, group, rows, told);
    this.#sendUpdated(known, updated, told);
    // The answers leave in this turn, too, but not before.
    for (const { router } of told) router.channel.flush();
  }

  #sendUpdated(
    known: KnownSessions,
    rows: readonly ApiSessionRow[],
    told?: Set<SyncedRouter>,
  ): void {
    for (const row of rows) {
      const group = known.sessions.groupOf(row.record.identityId);
      if (!group?.sessions.has(row)) continue;
      group.sessions.changed(row);
      const wanted = expecting(known, known.routers.under(group.policies));
      if (wanted.length > 0) give(known, wanted, this.#messages.updated([row]), told);
    }
  }

  #catchUp(known: KnownSessions): void {
    if (known.isCatchingUp) return;
    known.isCatchingUp = true;
    const { env, log } = this.#context;
    const steps = this.#moved.steps(known, () => this.#known !== known);
    void inSlices(steps, env.clock, sliceMs)
      .catch((err) => log.error({ err }, 'the policies of routers could not be followed'))
      .finally(() => {
        known.isCatchingUp = false;
      });
  }
}

/** Whether a policy may select others than before. */
function hasOtherRoles({ before, after }: CommittedChange<EdgeRouterPolicyRecord>): boolean {
  return (
    before?.semantic !== after?.semantic ||
    before?.identityRoles !== after?.identityRoles ||
    before?.edgeRouterRoles !== after?.edgeRouterRoles
  );
}
