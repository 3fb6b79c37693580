// The events that commits tell.

import { apiSessionEvents, authenticationEvents, sessionEvents } from './access-events.ts';
import type { CommitSource } from './commit-source.ts';
import { connectEvents } from './connect-events.ts';
import { entityChangeEvents } from './entity-changes.ts';
import { circuitEvents, linkEvents, routerEvents, terminatorEvents } from './fabric-events.ts';

/** All sources of them. */
export const commitSources: readonly CommitSource[] = [
  { type: 'apiSession', eventsOf: apiSessionEvents },
  { type: 'authentication', eventsOf: authenticationEvents },
  { type: 'circuit', eventsOf: circuitEvents },
  { type: 'connect', eventsOf: connectEvents },
  { type: 'entityChange', eventsOf: entityChangeEvents },
  { type: 'link', eventsOf: linkEvents },
  { type: 'router', eventsOf: routerEvents },
  { type: 'session', eventsOf: sessionEvents },
  { type: 'terminator', eventsOf: terminatorEvents },
];
