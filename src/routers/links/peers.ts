// Tells routers which others they could have a link with, and what becomes of those
// (behaviour/control-channel#links-and-paths).

import { contentTypes } from '../../channel/content-types.ts';
import { encodeMessage, fabric } from '../../channel/messages/messages.ts';
import { routerKind } from '../../records/router.ts';
import { type ChangeSet, isOf } from '../../store/transaction.ts';
import type { RoutersContext } from '../context.ts';
import type { ConnectedRouter } from '../router-feature.ts';
import { boundedListeners } from './link-listeners.ts';
import { type Peer, PeerLog } from './peer-log.ts';

/**
 * Two routers can have a link if one of them accepts links. So a router with listeners is told of
 * all others, and one without listeners of those that have some. Each router is told the changes
 * since it was last told; only how far it was told is kept for it, so memory grows with the number
 * of routers, not of pairs. While no router has listeners, nothing is sent.
 */
export class Peers {
  readonly #context: RoutersContext;
  readonly #peers = new Map<string, Peer>();
  /** The changes of all routers, and of those that accept links or have done so. */
  readonly #all = new PeerLog();
  readonly #listening = new PeerLog();
  /** How far connected routers were told. */
  readonly #told = new Map<string, Told>();
  #changes = 0;
  #isArmed = false;
  /** Routers that the present round has not reached yet. */
  #round: ConnectedRouter[] = [];

  constructor(context: RoutersContext) {
    this.#context = context;
    context.env.store.follow((changes) => {
      if (this.#peers.size > 0) this.#follow(changes);
    });
  }

  /** A router has connected, or connected again. */
  connected(router: ConnectedRouter): void {
    this.#told.set(router.id, { router, upTo: 0 });
    this.#note(router, fabric.PeerState.HEALTHY);
  }

  /** The router has said at which addresses it accepts links from now on. */
  listenersChanged(router: ConnectedRouter): void {
    const told = this.#told.get(router.id);
    const peer = this.#peers.get(router.id);
    if (told === undefined || peer === undefined) return;
    // It may have links with more routers than before.
    if (!peer.isListening) told.upTo = 0;
    this.#note(router, fabric.PeerState.HEALTHY);
  }

  /** The router's channel has closed. */
  disconnected(router: ConnectedRouter): void {
    if (this.#told.get(router.id)?.router !== router) return;
    this.#told.delete(router.id);
    const peer = this.#peers.get(router.id);
    if (peer !== undefined) this.#change(peer, { id: router.id, state: unhealthy });
  }

  #note(router: ConnectedRouter, state: fabric.PeerState): void {
    const { id, version } = router;
    const listeners = boundedListeners(router.linkListeners);
    let peer = this.#peers.get(id);
    if (peer === undefined) {
      peer = newPeer(id);
      this.#peers.set(id, peer);
    }
    peer.isListening = listeners.length > 0;
    peer.hasListened ||= peer.isListening;
    const text = version.slice(0, versionTextMax);
    this.#change(peer, { id, version: text, state, listeners: [...listeners] });
  }

  #change(peer: Peer, change: fabric.PeerStateChange.$Properties): void {
    this.#changes += 1;
    peer.changedAt = this.#changes;
    peer.encoded = encodeMessage(fabric.PeerStateChanges, { changes: [change] });
    this.#all.note(peer);
    if (peer.hasListened) this.#listening.note(peer);
    this.#arm();
  }

  #follow({ changes }: ChangeSet): void {
    for (const change of changes) {
      if (!isOf(change, routerKind) || change.after !== undefined) continue;
      const peer = this.#peers.get(change.row.id);
      if (peer === undefined) continue;
      peer.isRemoved = true;
      this.#change(peer, { id: peer.id, state: removed });
      this.#peers.delete(peer.id);
    }
  }

  #arm(): void {
    if (this.#isArmed || this.#listening.last === 0) return;
    this.#isArmed = true;
    this.#context.env.clock.after(peersWaitMs, () => {
      this.#isArmed = false;
      this.#tell();
    });
  }

  /** Tells routers in turns, as much as one round may send; the others wait for the next one. */
  #tell(): void {
    const bodies = new Map<string, readonly Buffer[]>();
    if (this.#round.length === 0)
      this.#round = [...this.#told.values()].map(({ router }) => router);
    const waiting: ConnectedRouter[] = [];
    let room = peersBytesPerRoundMax;
    while (room > 0) {
      const router = this.#round.pop();
      if (router === undefined) break;
      const told = this.#told.get(router.id);
      if (told?.router !== router || this.#viewOf(told).last <= told.upTo) continue;
      // A router that reads slowly is told later, and then only what is still so.
      if (router.channel.unsentBytes > peersUnsentBytesMax) waiting.push(router);
      else room -= Math.max(this.#tellOne(told, bodies), peersBytesPerRouterMin);
    }
    this.#round.push(...waiting);
    if (this.#round.length > 0 || this.#isBehind()) this.#arm();
  }

  /** @returns the bytes that were sent */
  #tellOne(told: Told, bodies: Map<string, readonly Buffer[]>): number {
    const view = this.#viewOf(told);
    const { router, upTo } = told;
    told.upTo = view.last;
    const own = this.#peers.get(router.id);
    // A router is not told of itself; whoever is not among the changes shares them with others.
    const isOwn = own !== undefined && own.changedAt > upTo && view.has(own);
    const key = `${view === this.#all} ${upTo}`;
    let shared = isOwn ? undefined : bodies.get(key);
    shared ??= view.since(upTo, isOwn ? own : undefined);
    if (!isOwn) bodies.set(key, shared);
    let bytes = 0;
    for (const body of shared) {
      router.channel.send({ contentType: contentTypes.peerStateChanges, body });
      bytes += body.length;
    }
    return bytes;
  }

  #viewOf({ router }: Told): PeerLog {
    return this.#peers.get(router.id)?.isListening === true ? this.#all : this.#listening;
  }

  #isBehind(): boolean {
    for (const told of this.#told.values()) {
      if (this.#viewOf(told).last > told.upTo) return true;
    }
    return false;
  }
}

interface Told {
  readonly router: ConnectedRouter;
  /** The newest change that it was told. */
  upTo: number;
}

const unhealthy = fabric.PeerState.UNHEALTHY;
const removed = fabric.PeerState.REMOVED;

function newPeer(id: string): Peer {
  return {
    id,
    changedAt: 0,
    isListening: false,
    hasListened: false,
    isRemoved: false,
    encoded: Buffer.alloc(0),
  };
}

/** Changes wait this long, so that those of one moment leave together. @bound */
const peersWaitMs = 100;
/**
 * What one round may send, 20 MB/s: the peers of 10,000 routers that all accept links have 7 GB.
 * @bound per controller
 */
const peersBytesPerRoundMax = 2 * 1024 * 1024;
/** As what a router counts at least in a round, so that a round tells some 500. @bound */
const peersBytesPerRouterMin = 4096;
/** A router that has not read this much is told later. @bound per connection */
const peersUnsentBytesMax = 1024 * 1024;
/** Characters of a version that others are told. @bound */
const versionTextMax = 64;
