// `GET /health-checks` on the ordinary listeners (behaviour/information#health).

import { healthAnswer } from '../../observe/health.ts';
import type { Sources } from '../../observe/sources.ts';
import type { OutsideHandler } from './outside.ts';

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
