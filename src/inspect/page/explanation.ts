// Why an identity can or cannot reach a service, as the management API answers it; only what is
// shown.

import { pathWith } from './api.ts';
import { quoted } from './filter-text.ts';

/** Of `GET /identities/{id}/services/{serviceId}/explain`. */
export interface Explanation {
  readonly summary: readonly string[];
  readonly dial: { readonly verdict: string };
  readonly bind: { readonly verdict: string };
  readonly routers: {
    readonly common: { readonly total: number; readonly shown: readonly ExplainedRouter[] };
  };
  readonly hosting: { readonly total: number; readonly shown: readonly ExplainedTerminator[] };
  readonly failures: readonly FailedDial[];
}

/** A dial to the service that failed. */
export interface FailedDial {
  readonly when: string;
  readonly identity: Named;
  readonly router: Named;
  readonly cause: string;
  readonly inWords: string;
}

interface Named {
  readonly id: string;
  readonly name: string;
}

/** A router that both may use. */
export interface ExplainedRouter {
  readonly id: string;
  readonly name: string;
  readonly isOnline: boolean;
  readonly syncStatus: string;
}

/** A terminator of the service. */
export interface ExplainedTerminator {
  readonly id: string;
  readonly precedence: string;
  readonly router: { readonly id: string; readonly name: string; readonly isOnline: boolean };
  /** The way from a common router; null when there is none. */
  readonly path: {
    readonly cost: number;
    readonly routers: readonly { readonly name: string }[];
  } | null;
}

/** Path of the services that a typed text may mean: one with this name or id. */
export function servicesPath(text: string): string {
  const value = quoted(text.trim());
  return pathWith('/services', { filter: `name = ${value} or id = ${value}`, limit: 1 });
}

/** Path of an explanation. */
export function explanationPath(identityId: string, serviceId: string): string {
  const [identity, service] = [identityId, serviceId].map(encodeURIComponent);
  return `/identities/${identity}/services/${service}/explain`;
}

/** The way to a terminator in words: `north → south, cost 21`. */
export function wayText({ router, path }: ExplainedTerminator): string {
  if (path === null) return router.isOnline ? 'no path' : 'router offline';
  return `${path.routers.map(({ name }) => name).join(' → ')}, cost ${path.cost}`;
}
