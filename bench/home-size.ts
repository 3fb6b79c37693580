// The sizes of the networks in scenario homes.

import type { NetworkSize } from './network.ts';

/** The network of a scenario home. */
export function homeSize(identities: number, smoke: boolean): NetworkSize {
  // Most identities must be without a password, because scenarios read, change and delete these.
  const isSmall = smoke || identities < 1000;
  return {
    identities,
    services: isSmall ? 200 : 10_000,
    visibleServices: 100,
    routers: 2,
    callers: isSmall ? 20 : 250,
    viewers: isSmall ? 10 : 50,
    // 1,000 API sessions; 40 in the smoke run.
    apiSessionsEach: isSmall ? 2 : 4,
  };
}

/** In a network that others use: no more services than the scenarios need. */
export function remoteSize(identities: number, smoke: boolean): NetworkSize {
  const size = homeSize(identities, smoke);
  return { ...size, services: Math.min(size.services, 1000) };
}
