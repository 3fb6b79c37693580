// The types by which the parts of the control plane of routers work together.

import type { Channel, Frame, MessageSteps } from '../channel/channel-api.ts';
import type { edge, fabric } from '../channel/messages/messages.ts';
import type { ApiSessionRecord } from '../records/api-session.ts';
import type { IdentityRecord } from '../records/identity.ts';
import type { RouterRecord } from '../records/router.ts';
import type { ServiceRecord } from '../records/service.ts';
import type { SessionRecord } from '../records/session.ts';
import type { Row } from '../store/record.ts';

/** A router whose hello was accepted, until its channel closes. */
export interface ConnectedRouter {
  readonly id: string;
  readonly channel: Channel;
  /** The version that its hello names, e.g. `v2.1.0`. */
  readonly version: string;
  /** Where it accepts links, as its hello or a later message says; empty when it does not. */
  linkListeners: readonly fabric.LinkListener.$Properties[];
  /** Whether it asked for no further circuits; those that it has go on. */
  isQuiesced?: boolean;
  /** Whether it has asked for the data model: then it judges clients with JWTs by itself. */
  hasModel?: boolean;
}

/** The routers that are connected. */
export interface ConnectedRouters {
  readonly size: number;
  get(routerId: string): ConnectedRouter | undefined;
  all(): Iterable<ConnectedRouter>;
}

/**
 * Handles one message. It runs within one turn, with the read fence begun; it may transact. A
 * MalformedMessage that it throws closes the channel; any other error is logged, and the request
 * has no answer. What a router may send much of is left to steps: each of them runs like a handler,
 * and none does once the router is not connected by this channel any more.
 */
export type MessageHandler =
  | ((router: ConnectedRouter, frame: Frame) => void)
  | ((router: ConnectedRouter, frame: Frame) => MessageSteps);

/**
 * One part of the control plane: the messages that it handles, and what it does as routers come.
 */
export interface RouterFeature {
  /** By content type; each type belongs to one feature. */
  readonly handlers: ReadonlyMap<number, MessageHandler>;
  /**
   * This controller decides from now on, and the store is attached: called once, and all steps are
   * run before a router connects. A node of a cluster follows before, and decides nothing then.
   */
  lead?(): Iterable<undefined>;
  /** This is the first start after a migration: called before a router connects. */
  succeedFormer?(): void;
  /** The router was accepted; its result was sent. Called for the features in their order. */
  connected?(router: ConnectedRouter): void;
  /** An edge router has sent its hello for clients' traffic (20001). */
  greeted?(router: ConnectedRouter, hello: edge.ClientHello): void;
  /** The channel has closed; the router is not among the connected ones any more. */
  disconnected?(router: ConnectedRouter): void;
}

/** The error codes of answers to routers (behaviour/control-channel#session-checks). */
export const routerErrors = {
  internal: 1,
  invalidApiSession: 2,
  invalidSession: 3,
  wrongSessionType: 4,
  routerNotUsable: 5,
  invalidService: 6,
  tunnelingNotEnabled: 7,
  invalidTerminator: 8,
  invalidPrecedence: 9,
  invalidCost: 10,
  encryptionDataMissing: 11,
  invalidApiSessionType: 12,
  invalidInstanceId: 13,
  accessDenied: 14,
  postureFailed: 15,
} as const;

/** What a router is advised to do after an error. */
export const retryHints = { default: 0, tooBusy: 1, startOver: 2, notRetriable: 3 } as const;

/** Why a request of a router is refused, in the terms of the protocol. */
export interface RouterRefusal {
  readonly code: (typeof routerErrors)[keyof typeof routerErrors];
  readonly retryHint: (typeof retryHints)[keyof typeof retryHints];
  /** One sentence for the log of the router. */
  readonly text: string;
  /** Why a dial failed, where the code does not say it. */
  readonly cause?: DialFailureCause | undefined;
}

/** Why a dial failed, as a word for programs (behaviour/fabric#failed-dials). */
export type DialFailureCause =
  | 'ACCESS_DENIED'
  | 'CIRCUIT_ENDED'
  | 'CONNECTION_REFUSED'
  | 'DIAL_TIMED_OUT'
  | 'DNS_FAILED'
  | 'ENCRYPTION_KEY_MISSING'
  | 'INTERNAL'
  | 'INVALID_SERVICE'
  | 'INVALID_TERMINATOR'
  | 'MISCONFIGURED_TERMINATOR'
  | 'NO_ONLINE_TERMINATORS'
  | 'NO_PATH'
  | 'NO_RESOURCES'
  | 'NO_TERMINATORS'
  | 'PORT_NOT_ALLOWED'
  | 'POSTURE_FAILED'
  | 'REJECTED_BY_APPLICATION'
  | 'ROUTER_DISCONNECTED'
  | 'ROUTER_NOT_USABLE'
  | 'ROUTER_REFUSED'
  | 'ROUTER_TIMED_OUT'
  | 'TOO_BUSY'
  | 'TUNNELING_NOT_ENABLED'
  | 'UNKNOWN_LINK'
  | 'WRONG_SESSION_TYPE';

/** Thrown by whatever refuses a request of a router. */
export class RouterRequestRefused extends Error {
  override readonly name = 'RouterRequestRefused';
  readonly refusal: RouterRefusal;
  /** What the session was for, if it is known. */
  readonly wanted: { readonly identityId: string; readonly serviceId: string } | undefined;

  constructor(refusal: RouterRefusal, wanted?: RouterRequestRefused['wanted']) {
    super(refusal.text);
    this.refusal = refusal;
    this.wanted = wanted;
  }
}

/** A right that was checked: a client of this router may dial or bind this service now. */
export interface CheckedSession {
  readonly session: SessionRecord;
  readonly apiSession: ApiSessionRecord;
  readonly identity: Row<IdentityRecord>;
  readonly service: Row<ServiceRecord>;
  readonly router: Row<RouterRecord>;
}

/** Checks the sessions by which clients dial and bind through a router. */
export interface SessionChecks {
  /** @throws RouterRequestRefused */
  check(
    router: ConnectedRouter,
    asked: {
      readonly apiSessionToken: string;
      /** A JWT of ours, or the opaque token. */
      readonly sessionToken: string;
      readonly type: 'Dial' | 'Bind';
    },
  ): CheckedSession;
  /**
   * A client with JWTs dials without a session: its router has judged its rights by the model, and
   * posture by what the client has told it. @throws RouterRequestRefused
   */
  checkDial(
    router: ConnectedRouter,
    asked: {
      readonly apiSessionToken: string;
      readonly identityId: string;
      readonly serviceId: string;
    },
  ): Omit<CheckedSession, 'session'>;
  /** A tunneler router acts as the identity with its own id. @throws RouterRequestRefused */
  checkTunneler(
    router: ConnectedRouter,
    asked: { readonly service: Row<ServiceRecord> | undefined; readonly type: 'Dial' | 'Bind' },
  ): Omit<CheckedSession, 'session' | 'apiSession'>;
}

/**
 * The dynamic costs of terminators: they grow with open circuits and with failures
 * (behaviour/control-channel#terminators).
 */
export interface TerminatorCosts {
  /** Between 0 and 65535. */
  dynamicCost(terminatorId: string): number;
  /** A circuit goes through the terminator from now on; this also lessens its failure cost. */
  circuitOpened(terminatorId: string): void;
  circuitClosed(terminatorId: string): void;
  failed(terminatorId: string): void;
}

/** A path from one router to another. */
export interface Path {
  /** From the first to the last router; one when both are the same. */
  readonly routers: readonly string[];
  /** The links between neighbours, one fewer than routers. */
  readonly links: readonly string[];
  readonly cost: number;
}

/** A report that a link does not work, or that its routers have a better one. */
export interface LinkFaultReport {
  /** The id by which its routers know it. */
  readonly linkId: string;
  /** How often the link had been dialed; undefined when the router knows no such link. */
  readonly iteration: number | undefined;
  readonly isDuplicate: boolean;
}

/** Takes a fault of a link from one of its routers. */
export type LinkFault = (router: ConnectedRouter, fault: LinkFaultReport) => void;

/** What a path is to leave out: routers that it would pass through, by their ids, and links. */
export interface AvoidedHops {
  readonly routers: ReadonlySet<string>;
  readonly links: ReadonlySet<string>;
}

/** The links between connected routers, and the paths over them. */
export interface Paths {
  /**
   * The cheapest path, without what is to be left out; undefined when there is none now, or a
   * router is not connected.
   */
  find(from: string, to: string, avoided?: AvoidedHops): Path | undefined;
  /**
   * The present cost of a path as circuits are compared for rerouting; undefined if it is broken.
   */
  costOf(path: Path): number | undefined;
  /** Calls `changed` with the ids of links that are gone or broken. */
  onLost(changed: (linkIds: ReadonlySet<string>) => void): void;
}
