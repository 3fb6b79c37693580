// Creates terminators for routers: what a request may say, and what others have already
// (behaviour/control-channel#terminators).

import { edge } from '../../channel/messages/messages.ts';
import type { NewRecord } from '../../declare/kinds/kind.ts';
import type { Environment } from '../../declare/operations/environment.ts';
import type { IdentityRecord } from '../../records/identity.ts';
import type { ServiceRecord } from '../../records/service.ts';
import { type TerminatorRecord, terminatorKind } from '../../records/terminator.ts';
import type { Row } from '../../store/record.ts';
import type { Table } from '../../store/table.ts';
import type { Transaction } from '../../store/transaction.ts';
import {
  type ConnectedRouter,
  RouterRequestRefused,
  retryHints,
  routerErrors,
} from '../router-feature.ts';
import { storedHostData } from './host-data.ts';
import { foreignSibling } from './instances.ts';

/** What the router asks for. */
export interface WantedTerminator {
  /** Chosen by the router, which uses it as the address as well. */
  readonly id: string;
  readonly binding: string;
  readonly address: string;
  readonly service: Row<ServiceRecord>;
  /** The identity that hosts. */
  readonly host: Row<IdentityRecord>;
  /** Undefined for a tunneler. */
  readonly sessionId: string | undefined;
  readonly cost: number;
  readonly precedence: number;
  readonly instanceId: string;
  readonly instanceSecret: Uint8Array;
  readonly peerData: Readonly<Record<string, Uint8Array>>;
}

/** A refusal because another terminator has the id already. */
export class TerminatorIdTaken extends RouterRequestRefused {
  constructor() {
    super({
      code: routerErrors.internal,
      retryHint: retryHints.notRetriable,
      text: 'the id belongs to another terminator',
    });
  }
}

/** Characters of an id that a router chooses; routers use 22. @bound per entity */
const idCharactersMax = 100;

/** Ids that routers choose become parts of paths. */
const idPattern = /^(?!\.)[\w.-]+$/;

/**
 * Refuses an id that is malformed or belongs to a terminator of another router. It is called before
 * anything else about a request is looked at. @throws RouterRequestRefused
 */
export function expectOwnId(env: Environment, router: ConnectedRouter, id: string): void {
  if (id.length > idCharactersMax || !idPattern.test(id)) {
    throw new RouterRequestRefused({
      code: routerErrors.invalidTerminator,
      retryHint: retryHints.notRetriable,
      text: 'the id of the terminator is malformed',
    });
  }
  // A row that is being removed also has its id until it is gone.
  const known = env.store.table(terminatorKind).peek(id)?.record;
  if (known !== undefined && (known.router !== router.id || !known.isOfRouter)) {
    throw new TerminatorIdTaken();
  }
}

/**
 * Creates the terminator, or brings a known one up to date; `expectOwnId` came before.
 * @throws RouterRequestRefused, or what the store throws
 */
export function createTerminator(
  env: Environment,
  router: ConnectedRouter,
  wanted: WantedTerminator,
): void {
  const table = env.store.table(terminatorKind);
  const cost = costOf(wanted);
  const precedence = precedenceOf(wanted);
  const known = table.find(wanted.id)?.record;
  const sessionId = wanted.sessionId;
  if (known !== undefined) {
    if (!isSame(known, wanted)) throw new TerminatorIdTaken();
    const isUnchanged =
      known.cost === cost && known.precedence === precedence && known.sessionId === sessionId;
    if (isUnchanged) return;
    env.store.transact(causeOf(router), (tx) => {
      tx.put(table, { ...known, cost, sessionId, updatedAt: tx.now });
      setPrecedence(env, tx, known, precedence);
    });
    return;
  }
  const instance = instanceOf(table, wanted);
  const peerData = storedHostData(wanted.peerData, env.bounds);
  expectRoom(env, table, router, wanted);
  env.memory.admitRecord();
  env.store.transact(causeOf(router), (tx) => {
    const fields: NewRecord<typeof terminatorKind.fields> = {
      id: wanted.id,
      createdAt: tx.now,
      updatedAt: tx.now,
      tags: noTags,
      isSystem: undefined,
      service: wanted.service.record.id,
      router: router.id,
      binding: wanted.binding,
      address: wanted.address,
      cost,
      precedence,
      ...instance,
      hostId: wanted.host.record.id,
      sessionId,
      peerData,
      isOfRouter: true,
    };
    env.send(tx, terminatorKind.kind, wanted.id, { type: 'create', now: tx.now, fields });
  });
}

/**
 * Sends the event that gives a terminator another precedence than that of `record`.
 * @returns its state from then on
 */
export function setPrecedence(
  { send }: Pick<Environment, 'send'>,
  tx: Transaction,
  record: Pick<TerminatorRecord, 'id' | 'precedence' | 'state'>,
  precedence: TerminatorRecord['precedence'],
): string {
  if (precedence === record.precedence) return record.state;
  const event = { type: 'setPrecedence', now: tx.now, precedence };
  return send(tx, terminatorKind.kind, record.id, event).to;
}

/** The precedence of a number on the channel; undefined for an unknown one. */
export function precedenceNamed(precedence: number): TerminatorRecord['precedence'] | undefined {
  switch (precedence) {
    case edge.TerminatorPrecedence.DEFAULT:
      return 'default';
    case edge.TerminatorPrecedence.REQUIRED:
      return 'required';
    case edge.TerminatorPrecedence.FAILED:
      return 'failed';
    default:
      return undefined;
  }
}

/** @throws RouterRequestRefused for a cost out of range */
export function expectCost(cost: number): void {
  if (cost <= costMax) return;
  throw new RouterRequestRefused({
    code: routerErrors.invalidCost,
    retryHint: retryHints.notRetriable,
    text: `the cost is above ${costMax}`,
  });
}

/** The refusal of a precedence that is none. */
export function unknownPrecedence(): RouterRequestRefused {
  return new RouterRequestRefused({
    code: routerErrors.invalidPrecedence,
    retryHint: retryHints.notRetriable,
    text: 'the precedence is unknown',
  });
}

const noTags = Object.freeze({});

/** The range of the field of records. @bound per entity */
const costMax = 65535;

/** Characters of an instance id, as the field of records allows. @bound per entity */
const instanceIdCharactersMax = 1000;

/** Bytes of an instance secret: its base64 is the field of records. @bound per entity */
const instanceSecretBytesMax = 3072;

const causeOf = (router: ConnectedRouter) => ({
  actor: router.id,
  requestId: '',
  operation: 'hostTerminator',
});

/** What the host leaves open, the settings of its identity say (behaviour/identities#hosting). */
function costOf({ cost, host, service }: WantedTerminator): number {
  expectCost(cost);
  if (cost !== 0) return cost;
  const { serviceHostingCosts, defaultHostingCost } = host.record;
  return serviceHostingCosts[service.record.id] ?? defaultHostingCost;
}

function precedenceOf({
  precedence,
  host,
  service,
}: WantedTerminator): TerminatorRecord['precedence'] {
  const named = precedenceNamed(precedence);
  if (named === undefined) throw unknownPrecedence();
  if (named !== 'default') return named;
  const { serviceHostingPrecedences, defaultHostingPrecedence } = host.record;
  return serviceHostingPrecedences[service.record.id] ?? defaultHostingPrecedence;
}

/** Whether a known terminator is the one that is asked for. Its router is compared already. */
function isSame(known: TerminatorRecord, { binding, service, host }: WantedTerminator): boolean {
  return (
    known.binding === binding &&
    known.service === service.record.id &&
    known.hostId === host.record.id
  );
}

/** All terminators of a service with one instance id belong to one identity. */
function instanceOf(
  table: Table<TerminatorRecord>,
  { instanceId, instanceSecret, service, host, id }: WantedTerminator,
): Pick<TerminatorRecord, 'identity' | 'identitySecret'> {
  const isLong =
    instanceId.length > instanceIdCharactersMax || instanceSecret.length > instanceSecretBytesMax;
  if (isLong) throw refusedInstance('the instance id or its secret is too long');
  const other = foreignSibling(table, {
    id,
    service: service.record.id,
    identity: instanceId,
    hostId: host.record.id,
  });
  if (other !== undefined) {
    throw refusedInstance(`terminator ${other} of another identity has this instance id`);
  }
  const { buffer, byteOffset, length } = instanceSecret;
  const secret = Buffer.from(buffer, byteOffset, length).toString('base64');
  return { identity: instanceId, identitySecret: length === 0 ? undefined : secret };
}

function refusedInstance(text: string): RouterRequestRefused {
  return new RouterRequestRefused({
    code: routerErrors.invalidInstanceId,
    retryHint: retryHints.notRetriable,
    text,
  });
}

function expectRoom(
  { limits }: Environment,
  table: Table<TerminatorRecord>,
  router: ConnectedRouter,
  { host }: WantedTerminator,
): void {
  const { terminatorsPerRouterMax, terminatorsPerIdentityMax } = limits;
  const isFull =
    table.group('router').count(router.id) >= terminatorsPerRouterMax
      ? `a router may have ${terminatorsPerRouterMax} terminators`
      : table.group('hostId').count(host.record.id) >= terminatorsPerIdentityMax
        ? `an identity may have ${terminatorsPerIdentityMax} terminators`
        : undefined;
  if (isFull === undefined) return;
  throw new RouterRequestRefused({
    code: routerErrors.internal,
    retryHint: retryHints.default,
    text: isFull,
  });
}
