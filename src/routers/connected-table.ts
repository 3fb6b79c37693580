// The routers that are connected to this controller.

import type { ConnectedRouter, ConnectedRouters } from './router-feature.ts';

/** The connected routers by id. */
export class ConnectedTable implements ConnectedRouters {
  readonly #routers = new Map<string, ConnectedRouter>();

  get size(): number {
    return this.#routers.size;
  }

  get(routerId: string): ConnectedRouter | undefined {
    return this.#routers.get(routerId);
  }

  all(): Iterable<ConnectedRouter> {
    return this.#routers.values();
  }

  set(router: ConnectedRouter): void {
    this.#routers.set(router.id, router);
  }

  /** Whether it was still the connected one. */
  delete(router: ConnectedRouter): boolean {
    return this.#routers.get(router.id) === router && this.#routers.delete(router.id);
  }
}
