// What the next path of a circuit leaves out, because a router has refused the path before
// (behaviour/control-channel#circuits).

import { linkIdOf } from '../../records/link.ts';
import type { AvoidedHops, ConnectedRouter, LinkFault, Path } from '../router-feature.ts';
import { linkIsUnknown, type RouteResult } from './route-result.ts';

/** The refusals that one circuit has met. */
export class MetRefusals implements AvoidedHops {
  readonly routers = new Set<string>();
  readonly links = new Set<string>();

  /** Undefined when there is nothing to leave out. */
  get unlessEmpty(): AvoidedHops | undefined {
    return this.routers.size + this.links.size > 0 ? this : undefined;
  }

  /**
   * A router refuses the path. If it does not know a link, it cannot be told which of the two
   * routers is wrong, or lies: the ends of the circuit have to be on the path, all others beside
   * the link need not.
   */
  note(path: HopsOfPath, routerId: string, { errorCode }: Pick<RouteResult, 'errorCode'>): void {
    const at = path.routers.indexOf(routerId);
    this.#avoidRouter(path, at);
    if (errorCode !== linkIsUnknown) return;
    this.#avoidLink(path, at - 1);
    this.#avoidLink(path, at);
  }

  /** One of the routers of a link does not know it. */
  noteLink(path: HopsOfPath, linkKey: string): void {
    this.#avoidLink(path, path.links.indexOf(linkKey));
  }

  #avoidLink(path: HopsOfPath, at: number): void {
    const link = path.links[at];
    if (link === undefined) return;
    this.links.add(link);
    this.#avoidRouter(path, at);
    this.#avoidRouter(path, at + 1);
  }

  #avoidRouter({ routers }: HopsOfPath, at: number): void {
    const router = routers[at];
    if (router !== undefined && at > 0 && at < routers.length - 1) this.routers.add(router);
  }
}

/**
 * A router at an end of the path does not know the link there. One in the middle has two links, and
 * names the one that it does not know in a fault.
 */
export function refuseUnknownLink(
  linkFault: LinkFault,
  { routers, links }: HopsOfPath,
  router: ConnectedRouter,
  { errorCode }: Pick<RouteResult, 'errorCode'>,
): void {
  const isFirst = routers[0] === router.id;
  if (errorCode !== linkIsUnknown || !(isFirst || routers.at(-1) === router.id)) return;
  const key = isFirst ? links[0] : links.at(-1);
  if (key === undefined) return;
  linkFault(router, { linkId: linkIdOf(key), iteration: undefined, isDuplicate: false });
}

type HopsOfPath = Pick<Path, 'routers' | 'links'>;
