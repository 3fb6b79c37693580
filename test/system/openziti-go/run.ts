// Holds the Go SDK and the generated clients of edge-api against a controller of its own:
// `node test/system/openziti-go/run.ts`. Exit code 75: no Go to build it with, or the module proxy
// did not give the modules.

import { runStep } from '../endings.ts';
import { befriend } from '../stranger.ts';
import { buildGo } from './build.ts';

await runStep(async (endings) => {
  const client = { command: [buildGo('.')], types: ['Dial'] } as const;
  if (!(await befriend(endings, client))) return false;
  // The SDK logs in by OIDC where it is told that it can.
  return await befriend(endings, { ...client, sort: 'jwt', config: { oidc: { announce: 'all' } } });
});
