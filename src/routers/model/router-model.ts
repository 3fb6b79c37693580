// Sends routers the model of the network: whom they serve, and by which rules
// (behaviour/control-channel#router-data-model).

import type { Message } from '../../channel/channel-api.ts';
import { contentTypes } from '../../channel/content-types.ts';
import { encodeHeaders, textValue } from '../../channel/headers.ts';
import { edgeRouterPolicyKind } from '../../records/edge-router-policy.ts';
import { identityKind } from '../../records/identity.ts';
import { servicePolicyKind } from '../../records/service-policy.ts';
import { boundsOf } from '../../settings/bounds.ts';
import { type ChangeSet, isOf } from '../../store/transaction.ts';
import { TokenBuckets } from '../../turns/token-buckets.ts';
import type { RoutersContext } from '../context.ts';
import type { PacedWork } from '../paced-work.ts';
import type { PublicKeysFeature } from '../public-keys.ts';
import type { ConnectedRouter, MessageHandler, RouterFeature } from '../router-feature.ts';
import { type ModelCapture, writeModel } from './capture.ts';
import { ChangeLog, changeLogBounds, type ModelChange } from './change-log.ts';
import { type Batch, ChangeSending, subscriptionHeader } from './change-sending.ts';
import { ModelChecks } from './checks.ts';
import { CommonEvents } from './common-events.ts';
import { concernedGroups } from './concerned-groups.ts';
import { changeSetBody, type ModelEvent, ModelEvents, publicKeyEvent } from './events.ts';
import { type ModelGroup, ModelGroups, type Subscriber } from './groups.ts';
import { type LiveFrame, liveChanges, type MovedFrom, missedChanges } from './live-changes.ts';
import type {
  FullStateReason,
  ModelCheck,
  ModelCheckRefusal,
  ModelFigures,
  ModelStanding,
  RunningModel,
} from './model-port.ts';
import type { RecoveredModel } from './recovered-changes.ts';
import { type ReadyState, StateBuilds, stateBounds } from './state-builds.ts';
import {
  readSubscription,
  type SubscriptionRequest,
  subscriptionBounds,
} from './subscription-requests.ts';
import { idsIn, wideTouches } from './touches.ts';
import type { ModelView } from './view.ts';
import type { ChangesContext } from './view-changes.ts';

/** Where the model and its history come from. */
export interface RouterModelSource {
  /** Notes in each frame what it changes. */
  readonly capture: Pick<ModelCapture, 'take' | 'isFollowed'>;
  /** Differs whenever an index may mean another history: after a restore, a cut log, a reseed. */
  readonly timelineId: string;
  /** The changes that the log of the home holds. */
  readonly recovered: RecoveredModel;
}

/** What the model works with. */
export interface RouterModelOptions extends RoutersContext {
  readonly paced: PacedWork;
  readonly model: RouterModelSource;
  readonly publicKeys: Pick<PublicKeysFeature, 'keys' | 'onChange'>;
}

/** The feature, and what it does before the channels are closed for a stop. */
export interface RouterModelFeature extends RouterFeature {
  stop(): void;
}

/** Creates the feature. It follows the store from now on, which must have recovered. */
export function createRouterModel(options: RouterModelOptions): RouterModelFeature {
  const model = new RouterModel(options);
  options.env.routerModels.serves(model);
  return {
    handlers: new Map<number, MessageHandler>([
      [
        contentTypes.subscribeToModel,
        (router, frame) => model.subscribe(router, readSubscription(frame, model.bounds)),
      ],
    ]),
    disconnected: (router) => model.disconnected(router),
    stop: () => model.stop(),
  };
}

/** How often routers are told the index while it moves, in ms, as the peer does. */
const indexEveryMs = 30_000;
/** A router has read what it was sent when so many bytes or fewer are left. */
const drainedBytes = 64 * 1024;
/** How often it is looked whether a subscription is over or a router may go on, in ms. */
const lookMs = 1000;

/** One per controller. */
class RouterModel implements RunningModel {
  readonly bounds: typeof subscriptionBounds;
  readonly #log: ChangeLog;
  readonly #states: StateBuilds;
  readonly #checks: ModelChecks;
  readonly #options: RouterModelOptions;
  readonly #events: ModelEvents;
  readonly #common: CommonEvents;
  readonly #groups: ModelGroups;
  readonly #changes: ChangesContext;
  readonly #requests: TokenBuckets;
  readonly #sending: ChangeSending;
  /** The last request of routers that have asked too often. */
  readonly #early = new Map<ConnectedRouter, SubscriptionRequest>();
  /** Change sets for routers that have missed some, as encoded last. */
  readonly #missed = new Map<ModelGroup, MissedBody>();
  /** The index of the last change. */
  #index: number;
  /** The index of the last change that was sent to those whom it concerns. */
  #sentIndex = 0;
  #toldAtMs = 0;
  #isLooking = false;

  constructor(options: RouterModelOptions) {
    const { env, log, publicKeys } = options;
    const { capture, timelineId, recovered } = options.model;
    const { store, limits, bounds, access } = env;
    this.#options = options;
    this.bounds = boundsOf(subscriptionBounds, bounds);
    const logBounds = boundsOf(changeLogBounds, bounds);
    this.#log = new ChangeLog(store, { ...logBounds, bytesMax: limits.routerModelLogBytesMax });
    this.#log.prepend(recovered.changes, recovered.base);
    this.#index = this.#log.index;
    this.#events = new ModelEvents(store);
    this.#common = new CommonEvents(store, this.#events);
    this.#groups = new ModelGroups(env);
    capture.isFollowed = () => this.#groups.size > 0;
    this.#sending = new ChangeSending(this.bounds.modelRouterBytesMax);
    const perMinute = this.bounds.modelRequestsPerMinuteMax;
    this.#requests = new TokenBuckets({ perSecond: perMinute / 60, burst: perMinute });
    const keyEvents = (fingerprints: Iterable<string>) => keyEventsOf(publicKeys, fingerprints);
    this.#changes = { env, events: this.#events, keyEvents };
    const building = {
      env,
      events: this.#events,
      common: this.#common,
      bytesMax: limits.routerModelBytesMax,
      timelineId,
      index: () => this.#index,
      keys: () => publicKeys.keys().map(publicKeyEvent),
    };
    this.#checks = new ModelChecks(building);
    this.#states = new StateBuilds({
      ...building,
      bounds: boundsOf(stateBounds, bounds),
      deliver: (subscriber, state) => this.#deliverPaced(subscriber, state),
      failed: (err) => log.error({ err }, 'the model of routers could not be built'),
    });
    publicKeys.onChange(() => this.#renewStates());
    store.follow((changes) => this.#follow(changes));
    access.onRenewal(() => this.#renewed());
  }

  /** A router asks for the model. */
  subscribe(router: ConnectedRouter, request: SubscriptionRequest): void {
    const { env } = this.#options;
    const subscriber = this.#subscriberOf(router);
    if (subscriber === undefined) return;
    router.hasModel = true;
    if (this.#requests.take(subscriber.slot, env.clock.monotonic()) > 0) {
      this.#early.set(router, request);
      this.#look();
      return;
    }
    this.#early.delete(router);
    this.#serve(subscriber, request);
  }

  get figures(): ModelFigures {
    const { tooLargeBytes } = this.#states;
    return {
      index: this.#index,
      timelineId: this.#options.model.timelineId,
      subscribers: this.#groups.size,
      groups: this.#groups.count,
      changesKept: this.#log.size,
      tooLargeBytes,
    };
  }

  standingOf(routerId: string): ModelStanding | undefined {
    const subscriber = this.#groups.get(routerId);
    if (subscriber === undefined) return undefined;
    const { index, lastFull, isLive, isBehind, liveFrom } = subscriber;
    const { timelineId } = this.#options.model;
    if (isLive && index >= liveFrom) return { index, timelineId, lag: 0, lastFull };
    const missed = isLive || isBehind ? this.#log.after(index) : undefined;
    return { index, timelineId, lag: missed?.length, lastFull };
  }

  async check(routerId: string, timeoutMs: number): Promise<ModelCheck | ModelCheckRefusal> {
    const subscriber = this.#groups.get(routerId);
    if (subscriber === undefined) return 'notSubscribed';
    return await this.#checks.check(subscriber, timeoutMs);
  }

  disconnected(router: ConnectedRouter): void {
    this.#early.delete(router);
    const subscriber = this.#groups.get(router.id);
    if (subscriber?.router === router) this.#forget(subscriber);
  }

  /** Brings routers to the present index, which is all that the next start may know. */
  stop(): void {
    for (const subscriber of this.#groups.subscribers()) {
      this.#sending.sendNothing(subscriber, this.#sentIndex);
    }
  }

  #subscriberOf(router: ConnectedRouter): Subscriber | undefined {
    const known = this.#groups.get(router.id);
    if (known?.router === router) return known;
    if (known !== undefined) this.#forget(known);
    return this.#groups.add(router);
  }

  #forget(subscriber: Subscriber): void {
    const { group } = subscriber;
    subscriber.epoch += 1;
    subscriber.isLive = false;
    this.#states.cancel(subscriber, group);
    this.#groups.delete(subscriber);
    if (group.routers.size === 0) this.#dropGroup(group);
  }

  #serve(subscriber: Subscriber, request: SubscriptionRequest): void {
    const { id, durationMs, isRenewal } = request;
    const isKnown = subscriber.subscriptionId === id && subscriber.untilMs > this.#nowMs();
    subscriber.untilMs = this.#nowMs() + durationMs;
    this.#look();
    const { isLive, isBehind, awaits } = subscriber;
    if (isRenewal && isKnown && (isLive || isBehind || awaits !== undefined)) return;
    subscriber.subscriptionId = id;
    subscriber.headers = encodeHeaders([[subscriptionHeader, textValue(id)]]);
    if (this.#index === 0 && !this.#begin()) return;
    this.#place(subscriber, request);
  }

  /** Gives the model of a home its first index. @returns whether it has one */
  #begin(): boolean {
    const { store } = this.#options.env;
    const cause = { actor: 'controller', requestId: '', operation: 'beginRouterModel' };
    store.transact(cause, (tx) => writeModel(store, tx, wideTouches));
    return this.#index > 0;
  }

  /** Decides from where a router goes on. */
  #place(
    subscriber: Subscriber,
    { index, timelineId }: Pick<SubscriptionRequest, 'index' | 'timelineId'>,
  ): void {
    this.#states.cancel(subscriber, subscriber.group);
    subscriber.epoch += 1;
    subscriber.isLive = false;
    subscriber.isBehind = false;
    subscriber.awaits = undefined;
    subscriber.index = index;
    const reason = this.#reasonForFull(subscriber, { index, timelineId });
    if (reason !== undefined) this.#awaitFull(subscriber, reason);
    else if (index === this.#index) this.#goLive(subscriber);
    else this.#sendMissed(subscriber);
  }

  #reasonForFull(
    { router, group }: Subscriber,
    { index, timelineId }: Pick<SubscriptionRequest, 'index' | 'timelineId'>,
  ): FullStateReason | undefined {
    if (index === 0 || timelineId === '') return 'it knew no model';
    if (timelineId !== this.#options.model.timelineId)
      return 'it knew a model of another time line';
    if (index > this.#index) return 'its index is newer than that of the model';
    const missed = this.#log.after(index);
    if (missed === undefined) return 'its index is older than the change log';
    if (!this.#isNamed(missed)) return 'too much has changed';
    const isMoved = missed.some((change) => this.#movesView(change, router.id, group));
    return isMoved ? 'it saw another part of the model' : undefined;
  }

  /** Whether so many changes can be sent as one change set. */
  #isNamed(changes: readonly ModelChange[]): boolean {
    let ids = 0;
    for (const { touches } of changes) {
      ids += touches.isWide ? Number.POSITIVE_INFINITY : idsIn(touches);
    }
    return ids <= this.bounds.modelMissedIdsMax;
  }

  /** Whether a router may have seen another part of the model before a change. */
  #movesView({ touches }: ModelChange, routerId: string, { view }: ModelGroup): boolean {
    if (touches.moved.includes(routerId)) return true;
    const policies = this.#options.env.store.table(edgeRouterPolicyKind);
    return touches.policies.some(([id = '', isNew]) => {
      if (isNew === undefined) return true;
      return policies.peek(id) !== undefined && view.policies.includes(id);
    });
  }

  #awaitFull(subscriber: Subscriber, reason: FullStateReason): void {
    this.#states.cancel(subscriber, subscriber.group);
    subscriber.epoch += 1;
    subscriber.isLive = false;
    subscriber.isBehind = false;
    subscriber.awaits = reason;
    this.#states.request(subscriber);
  }

  #goLive(subscriber: Subscriber): void {
    subscriber.isLive = true;
    subscriber.isBehind = false;
    subscriber.liveFrom = this.#index;
  }

  /** Sends all that a router has missed as one change set, once it is durable. */
  #sendMissed(subscriber: Subscriber): void {
    const body = this.#missedBody(subscriber.group, subscriber.index);
    this.#goLive(subscriber);
    const message = { contentType: contentTypes.modelChanges, body };
    this.#whenDurable(subscriber, [message], this.#index);
  }

  #whenDurable(subscriber: Subscriber, messages: readonly Message[], index: number): void {
    const { epoch, router, headers } = subscriber;
    this.#options.durable.when(index, () => {
      if (subscriber.epoch !== epoch) return;
      for (const message of messages) router.channel.send({ ...message, headers });
      subscriber.index = index;
    });
  }

  #missedBody(group: ModelGroup, from: number): Buffer {
    const known = this.#missed.get(group);
    const to = this.#index;
    if (known?.from === from && known.to === to) return known.body;
    const changes = this.#log.after(from) ?? [];
    const events = missedChanges(this.#changes, group.view, changes);
    const body = changeSetBody({ index: to, previousIndex: from }, events);
    this.#missed.set(group, { from, to, body });
    return body;
  }

  #deliverPaced(subscriber: Subscriber, state: ReadyState): void {
    const { epoch } = subscriber;
    this.#options.paced.add(subscriber.router, () => {
      if (subscriber.epoch === epoch) this.#deliver(subscriber, state);
    });
  }

  #deliver(subscriber: Subscriber, state: ReadyState): void {
    const reason = subscriber.awaits;
    const changes = this.#log.after(state.index);
    const isReached = changes !== undefined && this.#isNamed(changes);
    const isValid = this.#states.isValid(state);
    subscriber.delivered?.();
    if (reason === undefined) return;
    if (!isValid || !isReached) {
      if (isValid) this.#states.drop(state.group);
      this.#states.request(subscriber);
      return;
    }
    const whole = { body: state.common, bodyRest: state.own };
    const messages: Message[] = [{ contentType: contentTypes.modelState, ...whole }];
    if (state.index !== this.#index) {
      const body = this.#missedBody(subscriber.group, state.index);
      messages.push({ contentType: contentTypes.modelChanges, body });
    }
    subscriber.awaits = undefined;
    subscriber.lastFull = { atMs: this.#options.env.clock.now(), reason };
    this.#goLive(subscriber);
    this.#whenDurable(subscriber, messages, this.#index);
  }

  #follow(committed: ChangeSet): void {
    const { model, env } = this.#options;
    const own = env.store.isAttached ? model.capture.take() : undefined;
    const change = this.#log.note(committed, own);
    if (change === undefined) return;
    const previousIndex = this.#index;
    this.#index = change.index;
    const { touches } = change;
    this.#common.changed(touches);
    if (this.#groups.size === 0) return;
    this.#states.changed();
    this.#checks.changed();
    if (touches.isWide) {
      for (const subscriber of this.#groups.subscribers()) this.#lost(subscriber);
      return;
    }
    const batches = [...this.#batches(frameOf(committed, change), previousIndex)];
    const { index } = change;
    this.#options.durable.when(index, () => {
      this.#sentIndex = index;
      for (const batch of batches) this.#sending.send(batch, { index, previousIndex });
    });
  }

  /**
   * The bodies for the live routers that see something of a frame, made now: later commits must not
   * show in them.
   */
  *#batches(frame: LiveFrame, previousIndex: number): Generator<Batch> {
    const place = { index: frame.index, previousIndex };
    const { moved, policies } = frame.touches;
    const isMoved = moved.length > 0 || policies.length > 0;
    const changes = isMoved ? this.#regrouped(frame) : this.#changed(frame);
    for (const { events, routers } of changes) {
      if (events.length === 0) continue;
      const live = [...routers].filter(({ isLive }) => isLive);
      if (live.length > 0) yield { body: changeSetBody(place, events), routers: live };
    }
  }

  *#changed(frame: LiveFrame): Generator<GroupChange> {
    for (const { view, routers } of concernedGroups(this.#options.env, this.#groups, frame)) {
      yield { events: liveChanges(this.#changes, view, frame, undefined).events, routers };
    }
  }

  /** The same for a frame by which routers may see others than before. */
  *#regrouped(frame: LiveFrame): Generator<GroupChange> {
    const former = new Map<ModelView, MovedFrom>();
    for (const { view } of this.#groups.all()) {
      former.set(view, { identities: view.identities, ownConfigs: view.ownConfigs });
    }
    const ways = this.#groups.regroup();
    const moved = new Set(ways.flatMap(({ routers }) => routers));
    for (const { view } of this.#groups.all()) view.readIdentities();
    for (const group of this.#groups.all()) {
      const staying = [...group.routers].filter((one) => !moved.has(one));
      ways.push({ from: group, to: group, routers: staying });
    }
    for (const { from, to, routers } of ways) {
      const seen = former.get(from.view);
      const { events, movedIdentities } = liveChanges(this.#changes, to.view, frame, seen);
      if (from !== to) for (const one of routers) this.#changeGroup(one, from);
      else if (movedIdentities > 0) this.#viewChanged(to);
      if (movedIdentities > to.view.identities.size / 2) {
        for (const one of routers) this.#lost(one);
      } else yield { events, routers };
    }
  }

  #changeGroup(subscriber: Subscriber, from: ModelGroup): void {
    this.#states.cancel(subscriber, from);
    if (from.routers.size === 0) this.#dropGroup(from);
    if (subscriber.isBehind) this.#awaitFull(subscriber, viewMoved);
    else if (subscriber.awaits !== undefined) this.#awaitFull(subscriber, subscriber.awaits);
  }

  /** The states of a group are of other identities; what its routers have missed, too. */
  #viewChanged(group: ModelGroup): void {
    this.#dropGroup(group);
    for (const one of group.routers) if (one.isBehind) this.#awaitFull(one, viewMoved);
  }

  #dropGroup(group: ModelGroup): void {
    this.#states.drop(group);
    this.#missed.delete(group);
  }

  /** A router that knows the model needs all of it. */
  #lost(subscriber: Subscriber): void {
    if (subscriber.isLive || subscriber.isBehind) {
      this.#awaitFull(subscriber, 'most of what it sees has changed');
    }
  }

  /** Public keys have changed, which kept states hold. */
  #renewStates(): void {
    this.#states.dropAll();
  }

  #renewed(): void {
    this.#common.forget();
    this.#states.dropAll();
    this.#missed.clear();
    this.#groups.regroup();
    for (const { view } of this.#groups.all()) view.readIdentities();
    for (const subscriber of this.#groups.subscribers()) {
      if (subscriber.isLive || subscriber.isBehind) {
        this.#awaitFull(subscriber, 'access was rebuilt');
      }
    }
  }

  #nowMs(): number {
    return this.#options.env.clock.monotonic();
  }

  #look(): void {
    if (this.#isLooking) return;
    this.#isLooking = true;
    this.#options.env.clock.after(lookMs, () => {
      this.#isLooking = false;
      this.#lookNow();
    });
  }

  #lookNow(): void {
    const nowMs = this.#nowMs();
    for (const [router, request] of this.#early) {
      const subscriber = this.#subscriberOf(router);
      if (subscriber === undefined || this.#requests.take(subscriber.slot, nowMs) > 0) continue;
      this.#early.delete(router);
      this.#serve(subscriber, request);
    }
    const isIndexDue = nowMs - this.#toldAtMs >= indexEveryMs;
    if (isIndexDue) this.#toldAtMs = nowMs;
    for (const subscriber of [...this.#groups.subscribers()]) {
      if (subscriber.untilMs <= nowMs && !this.#early.has(subscriber.router)) {
        this.#forget(subscriber);
        continue;
      }
      const { isBehind, router } = subscriber;
      if (isBehind && router.channel.unsentBytes <= drainedBytes) {
        const { timelineId } = this.#options.model;
        this.#place(subscriber, { index: subscriber.index, timelineId });
        continue;
      }
      this.#sending.sendNothing(subscriber, this.#sentIndex);
      if (isIndexDue) this.#sending.tellIndex(subscriber);
    }
    this.#missed.clear();
    const isIdle = this.#states.sweep();
    if (isIdle) {
      this.#events.forget();
      this.#common.forget();
    }
    if (this.#groups.size > 0 || this.#early.size > 0) this.#look();
  }
}

interface MissedBody {
  readonly from: number;
  readonly to: number;
  readonly body: Buffer;
}

/** What routers see of a frame. */
interface GroupChange {
  readonly events: readonly ModelEvent[];
  readonly routers: Iterable<Subscriber>;
}

const viewMoved = 'it saw another part of the model';

/** What a commit has deleted, so that its routers' former view is known. */
function frameOf({ changes }: ChangeSet, { index, touches }: ModelChange): LiveFrame {
  const deletedIdentities = new Map<string, number>();
  const deletedPolicies: number[] = [];
  for (const change of changes) {
    const { row, after } = change;
    if (after !== undefined) continue;
    if (isOf(change, identityKind)) deletedIdentities.set(row.id, row.slot);
    if (isOf(change, servicePolicyKind)) deletedPolicies.push(row.slot);
  }
  return { index, touches, deletedIdentities, deletedPolicies };
}

function* keyEventsOf(
  { keys }: Pick<PublicKeysFeature, 'keys'>,
  fingerprints: Iterable<string>,
): Generator<ModelEvent> {
  let present: ReturnType<typeof keys> | undefined;
  for (const kid of fingerprints) {
    present ??= keys();
    yield publicKeyEvent(present.find((key) => key.kid === kid) ?? { kid });
  }
}
