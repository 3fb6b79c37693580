// Links as their routers report them: the dialing router lists them, both ends tell when one breaks
// (behaviour/control-channel#links-and-paths).

import { inSlices } from '../../actors/pace.ts';
import { type BoundValues, boundsOf } from '../../bounds.ts';
import type { Frame } from '../../channel/contract.ts';
import { MalformedMessage } from '../../channel/contract.ts';
import { decodeMessage, fabric } from '../../channel/messages/messages.ts';
import { type LinkRecord, linkKind, unmeasuredLatencyNs } from '../../records/link.ts';
import { routerKind } from '../../records/router.ts';
import type { Table } from '../../store/table.ts';
import type { Transaction } from '../../store/transaction.ts';
import type { ConnectedRouter, RoutersContext } from '../contract.ts';

/** A report that a link does not work, or that its routers have a better one. */
export interface LinkFaultReport {
  readonly linkId: string;
  /** How often the link had been dialed. */
  readonly iteration: number;
  readonly isDuplicate: boolean;
}

/** Writes what routers say about links, and lets links follow the connections of their routers. */
export class ReportedLinks {
  readonly #context: RoutersContext;
  readonly #bounds: typeof linkBounds;
  readonly #table: Table<LinkRecord>;
  /** Monotonic ms at which refused links of a router were last logged. */
  readonly #toldMs = new WeakMap<ConnectedRouter, number>();
  /** Routers that have come or gone, whose links have not followed yet. */
  readonly #unsettled = new Set<string>();
  #isSettling = false;

  constructor(context: RoutersContext, bounds: BoundValues | undefined) {
    this.#context = context;
    this.#bounds = boundsOf(linkBounds, bounds);
    this.#table = context.env.store.table(linkKind);
  }

  /** A list of links that the router dialed: all of them, or new ones. @throws MalformedMessage */
  take(router: ConnectedRouter, { body }: Frame): void {
    if (body.length === 0) return;
    if (body.length > this.#bounds.linkReportBytesMax) throw new MalformedMessage('too many links');
    const { links, fullRefresh } = decodeMessage(fabric.RouterLinks, body);
    const reports = links.map(reportOf);
    let refused = 0;
    this.#transact(router.id, 'reportLinks', (tx) => {
      for (const report of reports) {
        if (!this.#report(tx, router, report, fullRefresh)) refused += 1;
      }
      if (!fullRefresh) return;
      const listed = new Set(reports.map(({ id }) => id));
      for (const row of [...this.#table.group('sourceRouter').rows(router.id)]) {
        if (!listed.has(row.id)) this.#send(tx, row.id, { type: 'remove' });
      }
    });
    if (refused > 0) this.#tellRefused(router, refused);
  }

  /** The connections of a link have changed. @throws MalformedMessage */
  takeConnections(router: ConnectedRouter, { body }: Frame): void {
    const update = decodeMessage(fabric.LinkStateUpdate, body);
    const record = this.#table.peek(update.linkId)?.record;
    if (record?.sourceRouter !== router.id || record.iteration !== update.linkIteration) return;
    const connections = connectionsOf(update.connState);
    this.#transact(router.id, 'updateLink', (tx) =>
      tx.put(this.#table, { ...record, connections, updatedAt: tx.now }),
    );
  }

  /** A router tells that a link of its own is broken; what it says of others is left out. */
  fault(router: ConnectedRouter, { linkId, iteration, isDuplicate }: LinkFaultReport): void {
    const record = this.#table.peek(linkId)?.record;
    if (record === undefined) return;
    if (record.sourceRouter !== router.id && record.destRouter !== router.id) return;
    const type = isDuplicate ? 'duplicate' : 'fail';
    this.#transact(router.id, 'reportLinkFault', (tx) =>
      this.#send(tx, linkId, { type, iteration }),
    );
  }

  /**
   * A router has come or gone. Its links follow in slices: a router that thousands of others dial
   * has as many. Paths know it at once.
   */
  settle(routerId: string): void {
    if (this.#idsOf(routerId).next().done) return;
    this.#unsettled.add(routerId);
    if (this.#isSettling) return;
    this.#isSettling = true;
    const { env, log } = this.#context;
    env.clock.soon(() => {
      const failed = (err: unknown) =>
        log.error({ err }, 'links could not follow the connections of their routers');
      void inSlices(this.#settling(), env.clock, sliceMs)
        .catch(failed)
        .finally(() => {
          this.#isSettling = false;
        });
    });
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
    const isReachable = connected.get(record.destRouter) !== undefined;
    if (isReachable && record.state === 'pending') this.#send(tx, id, { type: 'arrive' });
    if (!isReachable && record.state === 'connected') this.#send(tx, id, { type: 'depart' });
  }

  /** @returns false when the link is refused */
  #report(
    tx: Transaction,
    router: ConnectedRouter,
    { id, destRouter, iteration, ...described }: LinkReport,
    isRefresh: boolean,
  ): boolean {
    const { env, connected } = this.#context;
    const known = this.#table.peek(id)?.record;
    if (known !== undefined && known.sourceRouter !== router.id) return false;
    if (destRouter === router.id) return false;
    if (env.store.table(routerKind).find(destRouter) === undefined) return false;
    const isSame = known?.destRouter === destRouter;
    if (known !== undefined && !isSame) this.#send(tx, id, { type: 'remove' });
    if (!isSame && !this.#hasRoom(router.id)) return false;
    const isReachable = connected.get(destRouter) !== undefined;
    const fields = isSame
      ? described
      : { ...newLink, ...described, sourceRouter: router.id, destRouter };
    this.#send(tx, id, { type: 'report', iteration, isReachable, isRefresh, fields });
    return true;
  }

  #hasRoom(routerId: string): boolean {
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
      'links that a router reported are not used: another router has them, or there are too many',
    );
  }

  #send<E extends { readonly type: string }>(tx: Transaction, id: string, event: E): void {
    this.#context.env.send(tx, linkKind.kind, id, { ...event, now: tx.now });
  }

  #transact(actor: string, operation: string, body: (tx: Transaction) => void): void {
    this.#context.env.store.transact({ actor, requestId: '', operation }, body);
  }
}

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
  sourceLatency: unmeasuredLatencyNs,
  destLatency: unmeasuredLatencyNs,
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
   * Links that one router may have dialed, so that one router cannot fill the table of links; a
   * list of so many takes 20 ms. @bound per entity
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
/** Links that follow the connections of their routers in one transaction. */
const settledAtOnce = 50;
const sliceMs = 2;
