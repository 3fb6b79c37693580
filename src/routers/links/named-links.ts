// Which links a router speaks of when it names an id, and what its word changes
// (behaviour/control-channel#links-and-paths).

import type { LinkEvent } from '../../../machines/link.ts';
import { type LinkRecord, linkKind } from '../../records/link.ts';
import type { Table } from '../../store/table.ts';
import type { Transaction } from '../../store/transaction.ts';
import type { RoutersContext } from '../context.ts';

/** The links by the ids that routers know them by. */
export class NamedLinks {
  readonly #context: RoutersContext;
  readonly #table: Table<LinkRecord>;

  constructor(context: RoutersContext) {
    this.#context = context;
    this.#table = context.env.store.table(linkKind);
  }

  /** The links of a router that it knows by this id. */
  of(routerId: string, linkId: string): LinkRecord[] {
    const first = this.#table.peek(linkId)?.record;
    const found = first === undefined || first.sharedId !== undefined ? [] : [first];
    for (const { record } of this.#table.group('sharedId').rows(linkId)) found.push(record);
    return found.filter(
      ({ sourceRouter, destRouter }) => sourceRouter === routerId || destRouter === routerId,
    );
  }

  /**
   * The links that a router knows by this id as far as it can be told: where two routers say that
   * they have dialed it under one id, its word counts for the one that it has named before, if any.
   */
  knownBy(routerId: string, linkId: string): LinkRecord[] {
    const links = this.of(routerId, linkId);
    const incoming = links.filter(({ destRouter }) => destRouter === routerId);
    if (incoming.length < 2) return links;
    return links.filter((link) => link.sourceRouter === routerId || link.isNamed);
  }

  /** Whether it changes something that the router has named the link. */
  isNews(routerId: string, link: LinkRecord): boolean {
    const isByDest = link.destRouter === routerId;
    return (isByDest && !link.isNamed) || link.refusal === refusalBy(routerId, link);
  }

  /** A router has named one of its links. */
  name(tx: Transaction, routerId: string, link: LinkRecord): void {
    const isByDest = link.destRouter === routerId;
    const isReachable = this.isReachable({ ...link, isNamed: link.isNamed || isByDest });
    const refusal = refusalBy(routerId, link);
    const event: LinkEvent = { type: 'name', now: tx.now, refusal, isByDest, isReachable };
    this.#context.env.send(tx, linkKind.kind, link.id, event);
  }

  /**
   * Whether a path may lead to the router at which a link ends. A router that accepts no links has
   * this one only if it says so itself.
   */
  isReachable({ destRouter, isNamed }: Pick<LinkRecord, 'destRouter' | 'isNamed'>): boolean {
    const dest = this.#context.connected.get(destRouter);
    return dest !== undefined && (isNamed || dest.linkListeners.length > 0);
  }
}

/** How a link says that one of its routers does not know it. */
export function refusalBy(
  routerId: string,
  { sourceRouter, destRouter }: Pick<LinkRecord, 'sourceRouter' | 'destRouter'>,
): string {
  return `${routerId} ${routerId === sourceRouter ? destRouter : sourceRouter}`;
}
