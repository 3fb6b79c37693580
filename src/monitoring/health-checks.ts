// `GET /health-checks` on the ordinary listeners (behaviour/information#health).

import type { OutsideHandler } from '../http/application/outside.ts';
import { healthAnswer } from './health.ts';
import type { Sources } from './sources.ts';

/** Needs no session, because load balancers call it. */
export function healthChecks(sources: Sources): OutsideHandler {
  return {
    path: '/health-checks',
    methods: ['GET'],
    answer() {
      const { status, body } = healthAnswer(sources);
      const headers = [
        ['content-type', 'application/json'],
        ['cache-control', 'no-store'],
      ] as const;
      return { status, headers, body };
    },
  };
}
