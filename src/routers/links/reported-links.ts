// Links as their routers report them: the dialing router lists them, both ends tell when one breaks
// (behaviour/control-channel#links-and-paths).

import type { LinkEvent } from '../../../machines/link.ts';
import { type Frame, MalformedMessage, type MessageSteps } from '../../channel/channel-api.ts';
import { decodeMessage, decodeParts, fabric } from '../../channel/messages/messages.ts';
import {
  keyOfSharedId,
  type LinkRecord,
  linkKind,
  unmeasuredLatencyNs,
} from '../../records/link.ts';
import { routerKind } from '../../records/router.ts';
import { type BoundValues, boundsOf } from '../../settings/bounds.ts';
import type { Table } from '../../store/table.ts';
import type { Transaction } from '../../store/transaction.ts';
import { Slices } from '../../turns/slices.ts';
import type { RoutersContext } from '../context.ts';
import type { ConnectedRouter, LinkFaultReport } from '../router-feature.ts';
import { type NamedLinks, refusalBy } from './named-links.ts';

/** Writes what routers say about links, and lets links follow the connections of their routers. */
export class ReportedLinks {
  readonly #context: RoutersContext;
  readonly #bounds: typeof linkBounds;
  readonly #table: Table<LinkRecord>;
  readonly #named: NamedLinks;
  /** Monotonic ms at which refused links of a router were last logged. */
  readonly #toldMs = new WeakMap<ConnectedRouter, number>();
  /** Routers that have come or gone, whose links have not followed yet. */
  readonly #unsettled = new Set<string>();
  readonly #slices: Slices;

  constructor(context: RoutersContext, named: NamedLinks, bounds: BoundValues | undefined) {
    this.#context = context;
    this.#named = named;
    this.#bounds = boundsOf(linkBounds, bounds);
    this.#table = context.env.store.table(linkKind);
    const failed = (err: unknown) =>
      context.log.error({ err }, 'links could not follow the connections of their routers');
    this.#slices = new Slices({ clock: context.env.clock, sliceMs, failed });
  }

  /** A list of links that the router dialed: all of them, or new ones. @throws MalformedMessage */
  *take(router: ConnectedRouter, { body }: Frame): MessageSteps {
    if (body.length === 0) return;
    if (body.length > this.#bounds.linkReportBytesMax) throw new MalformedMessage('too many links');
    const reports: LinkReport[] = [];
    let isRefresh = false;
    for (const { links, fullRefresh } of decodeParts(fabric.RouterLinks, body)) {
      reports.push(...links.map(reportOf));
      isRefresh ||= fullRefresh;
      yield;
    }
    const keys = reports.map(({ id }) => this.#keyOf(router.id, id));
    // First, as the room of those that are gone may be needed.
    if (isRefresh) yield* this.#removeOthers(router.id, new Set(keys));
    let refused = 0;
    for (let from = 0; from < reports.length; from += linksAStep) {
      this.#transact(router.id, 'reportLinks', (tx) => {
        for (const report of reports.slice(from, from + linksAStep)) {
          if (!this.#report(tx, router, report, isRefresh)) refused += 1;
        }
      });
      yield;
    }
    if (refused > 0) this.#tellRefused(router, refused);
  }

  *#removeOthers(routerId: string, listed: ReadonlySet<string>): MessageSteps {
    const gone: string[] = [];
    for (const { id, record } of this.#table.group('sourceRouter').rows(routerId)) {
      // Or a router would make another one forget what it has refused.
      const isKept = record.state === 'refused' && record.refusal !== refusalBy(routerId, record);
      if (!listed.has(id) && !isKept) gone.push(id);
    }
    for (let from = 0; from < gone.length; from += linksAStep) {
      this.#transact(routerId, 'reportLinks', (tx) => {
        for (const id of gone.slice(from, from + linksAStep)) {
          if (this.#table.peek(id) !== undefined) this.#send(tx, id, { type: 'remove' });
        }
      });
      yield;
    }
  }

  /** The connections of a link have changed. @throws MalformedMessage */
  takeConnections(router: ConnectedRouter, { body }: Frame): void {
    const update = decodeMessage(fabric.LinkStateUpdate, body);
    const record = this.#table.peek(this.#keyOf(router.id, update.linkId))?.record;
    if (record?.sourceRouter !== router.id || record.iteration !== update.linkIteration) return;
    const connections = connectionsOf(update.connState);
    this.#transact(router.id, 'updateLink', (tx) =>
      tx.put(this.#table, { ...record, connections, updatedAt: tx.now }),
    );
  }

  /** A router tells that a link of its own is broken; what it says of others is left out. */
  fault(router: ConnectedRouter, { linkId, iteration, isDuplicate }: LinkFaultReport): void {
    const links = this.#named.of(router.id, linkId);
    if (links.length === 0) return;
    this.#transact(router.id, 'reportLinkFault', (tx) => {
      for (const link of links) {
        if (isDuplicate) this.#send(tx, link.id, { type: 'duplicate', iteration });
        else if (iteration !== undefined) this.#send(tx, link.id, { type: 'fail', iteration });
        else {
          const isByDest = link.destRouter === router.id;
          const refusal = refusalBy(router.id, link);
          this.#send(tx, link.id, { type: 'refuse', refusal, isByDest });
        }
      }
    });
  }

  /**
   * A router has accepted a link of another one, so it may have those by now that it has refused.
   * They count once they are reported.
   */
  accepted(routerId: string, sourceRouter: string): void {
    const refused = this.#table.group('refusal').rows(`${routerId} ${sourceRouter}`);
    const ids = Array.from(refused, ({ id }) => id);
    if (ids.length === 0) return;
    this.#transact(routerId, 'acceptLink', (tx) => {
      for (const id of ids) this.#send(tx, id, { type: 'accept' });
    });
  }

  /**
   * A router has come or gone. Its links follow in slices: a router that thousands of others dial
   * has as many. Paths know it at once.
   */
  settle(routerId: string): void {
    if (this.#idsOf(routerId).next().done) return;
    this.#unsettled.add(routerId);
    if (this.#slices.isIdle) this.#slices.add(this.#settling());
  }

  *#settling(): Generator<undefined> {
    for (const routerId of this.#unsettled) {
      this.#unsettled.delete(routerId);
      const ids = [...this.#idsOf(routerId)];
      for (let from = 0; from < ids.length; from += settledAtOnce) {
        const some = ids.slice(from, from + settledAtOnce);
        this.#transact('controller', 'settleLinks', (tx) => {
          for (const id of some) this.#settleLink(tx, id);
        });
        yield;
      }
    }
  }

  *#idsOf(routerId: string): Generator<string> {
    for (const index of ['sourceRouter', 'destRouter'] as const) {
      for (const { id } of this.#table.group(index).rows(routerId)) yield id;
    }
  }

  /** By what is so now, as its routers may have come and gone again in the meantime. */
  #settleLink(tx: Transaction, id: string): void {
    const record = this.#table.peek(id)?.record;
    if (record === undefined) return;
    const { connected } = this.#context;
    if (connected.get(record.sourceRouter) === undefined) {
      this.#send(tx, id, { type: 'remove' });
      return;
    }
    const isReachable = this.#named.isReachable(record);
    if (isReachable && record.state === 'pending') this.#send(tx, id, { type: 'arrive' });
    if (!isReachable && record.state === 'connected') this.#send(tx, id, { type: 'depart' });
  }

  /** Links of two routers with one id are two links: none can take the other's place. */
  #keyOf(routerId: string, linkId: string): string {
    const shared = keyOfSharedId(linkId, routerId);
    if (this.#table.peek(shared) !== undefined) return shared;
    const holder = this.#table.peek(linkId)?.record.sourceRouter ?? routerId;
    return holder === routerId ? linkId : shared;
  }

  /** @returns false when the link is refused */
  #report(
    tx: Transaction,
    router: ConnectedRouter,
    { id, destRouter, iteration, ...described }: LinkReport,
    isRefresh: boolean,
  ): boolean {
    if (destRouter === router.id) return false;
    if (this.#context.env.store.table(routerKind).find(destRouter) === undefined) return false;
    if (this.#isOfBoth(tx, router.id, id, destRouter)) return true;
    const key = this.#keyOf(router.id, id);
    const known = this.#table.peek(key)?.record;
    const isSame = known?.destRouter === destRouter;
    if (known !== undefined && !isSame) this.#send(tx, key, { type: 'remove' });
    if (!isSame && !this.#hasCapacity(router.id)) return false;
    const ends = { sourceRouter: router.id, destRouter };
    const sharedId = key === id ? undefined : id;
    const fields = isSame ? described : { ...newLink, ...described, ...ends, sharedId };
    const isNamed = isSame && known.isNamed;
    const isReachable = this.#named.isReachable({ destRouter, isNamed });
    const refusal = refusalBy(router.id, ends);
    const event = { iteration, isReachable, isRefresh, refusal, fields };
    this.#send(tx, key, { type: 'report', ...event });
    return true;
  }

  /** Whether the other router has reported the same link; then both know it. */
  #isOfBoth(tx: Transaction, routerId: string, linkId: string, otherId: string): boolean {
    const links = this.#named.of(routerId, linkId);
    const same = links.find(({ sourceRouter }) => sourceRouter === otherId);
    if (same !== undefined && this.#named.isNews(routerId, same)) {
      this.#named.name(tx, routerId, same);
    }
    return same !== undefined;
  }

  #hasCapacity(routerId: string): boolean {
    if (this.#table.isFull) return false;
    return this.#table.group('sourceRouter').count(routerId) < this.#bounds.linksPerRouterMax;
  }

  #tellRefused(router: ConnectedRouter, refused: number): void {
    const now = this.#context.env.clock.monotonic();
    const toldMs = this.#toldMs.get(router);
    if (toldMs !== undefined && now - toldMs < refusedToldMs) return;
    this.#toldMs.set(router, now);
    this.#context.log.warn(
      { routerId: router.id, refused },
      'links that a router reported are not used: they lead nowhere, or there are too many',
    );
  }

  #send(tx: Transaction, id: string, event: Untimed<LinkEvent>): void {
    this.#context.env.send(tx, linkKind.kind, id, { ...event, now: tx.now });
  }

  #transact(actor: string, operation: string, body: (tx: Transaction) => void): void {
    this.#context.env.store.transact({ actor, requestId: '', operation }, body);
  }
}

/** An event whose time is that of its transaction. */
type Untimed<E> = E extends unknown ? Omit<E, 'now'> : never;

/** One link of a report, within its bounds. */
interface LinkReport {
  readonly id: string;
  readonly destRouter: string;
  readonly iteration: number;
  readonly protocol: string;
  readonly dialAddress: string;
  readonly connections: LinkRecord['connections'];
}

/** The fields of a link that has not been measured yet. */
const newLink = {
  tags: {},
  staticCost: 1,
  down: false,
  sourceLatency: unmeasuredLatencyNs,
  destLatency: unmeasuredLatencyNs,
  isNamed: false,
};

/** @throws MalformedMessage */
function reportOf(link: fabric.RouterLink.$Properties): LinkReport {
  const id = link.id ?? '';
  if (!/^[\x21-\x7e]{1,100}$/.test(id)) throw new MalformedMessage('a link without a usable id');
  return {
    id,
    destRouter: link.destRouterId ?? '',
    iteration: link.iteration ?? 0,
    protocol: boundedText(link.linkProtocol),
    dialAddress: boundedText(link.dialAddress),
    connections: connectionsOf(link.connState),
  };
}

/** @throws MalformedMessage */
function connectionsOf(
  state: fabric.LinkConnState.$Properties | null | undefined,
): LinkRecord['connections'] {
  const conns = state?.conns ?? [];
  if (conns.length > linkConnectionsMax) throw new MalformedMessage('too many connections');
  return conns.map(({ type, localAddr, remoteAddr }) => ({
    type: boundedText(type),
    localAddress: boundedText(localAddr),
    remoteAddress: boundedText(remoteAddr),
  }));
}

/** @throws MalformedMessage */
function boundedText(text: string | null | undefined): string {
  if (text === null || text === undefined) return '';
  if (text.length > linkTextMax) throw new MalformedMessage('a link with too long a text');
  return text;
}

const linkBounds = {
  /**
   * Links that one router may have dialed, so that one router cannot fill the table of links.
   * @bound per entity
   */
  linksPerRouterMax: 1000,
  /** Bytes of one report: 1,000 links with two connections each have 300 KB. @bound per request */
  linkReportBytesMax: 512 * 1024,
};

/** Connections of one link; routers use two. @bound per entity */
const linkConnectionsMax = 16;
/** Characters of an address or another text that describes a link. @bound */
const linkTextMax = 300;
/** Refused links of one router are logged once per this time. @bound */
const refusedToldMs = 60_000;
/** Links of a report that are written in one transaction, at some 10 µs each. */
const linksAStep = 16;
/** Links that follow the connections of their routers in one transaction. */
const settledAtOnce = 50;
const sliceMs = 2;
