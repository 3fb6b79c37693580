// Carries traffic of the stock Go SDK through an edge router of our own, built on the channel
// library of the field: `node test/system/go-router/run.ts`. Exit code 75: no Go to build it with,
// or the module proxy did not give the modules.

import { runStep } from '../endings.ts';
import { buildGo } from '../openziti-go/build.ts';
import { twinRouters } from '../overlay/router.ts';
import { carryTraffic } from '../overlay/scenario.ts';

await runStep(
  async (endings) =>
    await carryTraffic(endings, {
      trafficProgram: buildGo('./traffic'),
      makeRouter: twinRouters(buildGo('./twin')),
      bytes: 10_000_000,
      hasLinks: false,
      // CI runs much beside it.
      dialAfterRestartMs: 30_000,
    }),
);
