// A router that keeps the model of the network as the protocol describes it, and nothing more:
// written from the description of the messages and their receiver, not from our code.

import type { Message } from '../../src/channel/channel-api.ts';
import { contentTypes } from '../../src/channel/content-types.ts';
import { decodeHeaders } from '../../src/channel/headers.ts';
import { edge, encodeMessage } from '../../src/channel/messages/messages.ts';
import { bodyOf } from '../simulated/routers.ts';

type Event = edge.Event;

const { DELETE } = edge.Event.Action;

/** A record as text, with sorted fields and without those that have no value. */
export function shownText(record: object): string {
  if (Array.isArray(record)) return record.join();
  const fields = Object.entries(record).flatMap(([name, value]: [string, unknown]) => {
    if (typeof value !== 'object' || value === null) return value ? [`${name}=${value}`] : [];
    const text = shownText(value);
    return text === '' ? [] : [`${name}=(${text})`];
  });
  return fields.sort().join(' ');
}

/** A policy with the ids of what it relates. */
export interface NaivePolicy {
  readonly shown: string;
  readonly services: Set<string>;
  readonly identities: Set<string>;
  readonly checks: Set<string>;
}

/** The model by kind and id, each record as text. */
export class NaiveModel {
  readonly configTypes = new Map<string, string>();
  readonly configs = new Map<string, string>();
  readonly identities = new Map<string, string>();
  readonly services = new Map<string, string>();
  readonly routers = new Map<string, string>();
  readonly checks = new Map<string, string>();
  readonly policies = new Map<string, NaivePolicy>();
  readonly keys = new Map<string, string>();
  readonly revocations = new Map<string, string>();

  /** Its content as text, the same for the same content. */
  text(): string {
    const maps = [
      ...(['configTypes', 'configs', 'identities', 'services', 'routers', 'checks'] as const),
      'revocations' as const,
    ];
    const lines: string[] = [];
    for (const name of maps) {
      for (const [id, shown] of this[name]) lines.push(`${name} ${id} ${shown}`);
    }
    for (const [id, { shown, services, identities, checks }] of this.policies) {
      const related = [services, checks, identities].map((ids) => [...ids].sort().join());
      lines.push(`policies ${id} ${shown} ${related.join(' | ')}`);
    }
    for (const kid of this.keys.keys()) lines.push(`keys ${kid}`);
    return lines.sort().join('\n');
  }

  apply(event: Event): void {
    const isDeleted = event.action === DELETE;
    const put = (map: Map<string, string>, { id }: { id?: string | null }, shown: object) => {
      if (isDeleted) map.delete(id ?? '');
      else map.set(id ?? '', shownText(shown));
    };
    const { configType, config, identity, service, router, postureCheck, publicKey } = event;
    const { revocation } = event;
    if (configType) put(this.configTypes, configType, configType);
    if (config) put(this.configs, config, config);
    if (identity) put(this.identities, identity, plain(identity));
    if (service) put(this.services, service, service);
    if (router) put(this.routers, router, router);
    if (postureCheck) {
      put(this.checks, postureCheck, [...(postureCheck.mac?.macAddresses ?? [])]);
    }
    if (revocation) put(this.revocations, revocation, revocation);
    if (publicKey) put(this.keys, { id: publicKey.kid ?? '' }, {});
    if (event.servicePolicy) this.#policy(event.servicePolicy, isDeleted);
    if (event.servicePolicyChange) this.#relate(event.servicePolicyChange);
  }

  #policy(policy: edge.ServicePolicy.$Properties, isDeleted: boolean): void {
    const id = policy.id ?? '';
    const known = this.policies.get(id);
    if (isDeleted) this.policies.delete(id);
    else {
      const { services, identities, checks } = known ?? noRelations();
      this.policies.set(id, { shown: shownText(policy), services, identities, checks });
    }
  }

  #relate(change: edge.ServicePolicyChange.$Properties): void {
    const policy = this.policies.get(change.policyId ?? '');
    if (policy === undefined) throw new Error('a relation of a policy that is unknown');
    const [related, known] =
      change.relatedEntityType === edge.RelatedEntityType.RELATED_SERVICE
        ? [policy.services, this.services]
        : change.relatedEntityType === edge.RelatedEntityType.RELATED_IDENTITY
          ? [policy.identities, this.identities]
          : [policy.checks, this.checks];
    for (const id of change.relatedEntityIds ?? []) {
      // Routers count what a connected client may do: no relation comes or goes twice.
      if (related.has(id) === change.add) throw new Error(`a relation to ${id} is not new`);
      if (!change.add) related.delete(id);
      else if (known.has(id)) related.add(id);
      else throw new Error(`a relation to ${id}, which is unknown`);
    }
  }
}

function noRelations() {
  return {
    services: new Set<string>(),
    identities: new Set<string>(),
    checks: new Set<string>(),
  };
}

function plain({ appDataJson, ...identity }: edge.Identity.$Properties): object {
  return { ...identity, appDataJson: Buffer.from(appDataJson ?? []).toString() };
}

let subscriptions = 0;

/** A router with its model, which it keeps over connections and starts of its own. */
export class NaiveRouter {
  model = new NaiveModel();
  index = 0;
  timeline = '';
  subscriptionId = '';
  /** Full states that it has taken. */
  fulls = 0;
  /** Change sets that did not fit. */
  misses = 0;

  /** The body of its request. */
  ask(isRenewal = false): Buffer {
    if (!isRenewal) this.subscriptionId = `subscription-${++subscriptions}`;
    return encodeMessage(edge.SubscribeToDataModelRequest, {
      currentIndex: this.index,
      subscriptionDurationSeconds: 300,
      renew: isRenewal,
      timelineId: this.timeline,
      subscriptionId: this.subscriptionId,
    });
  }

  /** Takes a message. @returns whether it has to ask again */
  take(message: Message): boolean {
    const { contentType, headers } = message;
    const body = bodyOf(message);
    const id = decodeHeaders(headers ?? Buffer.alloc(0))
      .get(1026)
      ?.toString();
    if (contentType === contentTypes.modelState) {
      if (id !== undefined && id !== this.subscriptionId) return false;
      this.#takeState(edge.DataState.decode(body));
    } else if (contentType === contentTypes.modelChanges) {
      const changes = edge.ChangeSet.decode(body);
      if (changes.isSynthetic) for (const event of changes.changes) this.model.apply(full(event));
      else if (id === undefined || id === this.subscriptionId) return this.#takeChanges(changes);
    }
    return false;
  }

  #takeState({ events, endIndex, timelineId }: edge.DataState): void {
    this.model = new NaiveModel();
    for (const event of events) this.model.apply(full(event));
    this.index = endIndex;
    this.timeline = timelineId;
    this.fulls += 1;
  }

  #takeChanges({ index, previousIndex, changes }: edge.ChangeSet): boolean {
    const isNext = this.index === 0 || index > this.index;
    const isFit = previousIndex === 0 || previousIndex === this.index;
    if (!isNext || !isFit) {
      this.misses += 1;
      return true;
    }
    for (const event of changes) this.model.apply(full(event));
    this.index = index;
    return false;
  }
}

function full(event: edge.Event.$Properties): Event {
  return event as Event;
}
