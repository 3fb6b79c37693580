// Carries traffic of the stock Go SDK through an edge router of our own that is built on the field's
// channel library: `node test/system/openziti-go/routers.ts`. Exit code 75: no Go to build it with,
// or the module proxy did not give the modules.

import { runStep } from '../endings.ts';
import { twinRouters } from '../overlay/router.ts';
import { carryTraffic } from '../overlay/scenario.ts';
import { buildGo } from './build.ts';

await runStep(
  async (endings) =>
    await carryTraffic(endings, {
      trafficProgram: buildGo('./traffic'),
      makeRouter: twinRouters(buildGo('./twin')),
      bytes: 10_000_000,
      hasLinks: false,
    }),
);
