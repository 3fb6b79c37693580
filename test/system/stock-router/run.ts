// Carries traffic of the stock Go SDK through unmodified OpenZiti routers:
// `ROUTER_BIN=/path/to/ziti node test/system/stock-router/run.ts`. Exit code 75: no `ROUTER_BIN`,
// no Go to build the SDK's program with, or the module proxy did not give the modules.

import { Lacking, runStep } from '../endings.ts';
import { buildGo } from '../openziti-go/build.ts';
import { carryTraffic } from '../overlay/scenario.ts';
import { stockRouters } from './stock-router.ts';

await runStep(async (endings) => {
  const binary = process.env['ROUTER_BIN'];
  if (binary === undefined) throw new Lacking('ROUTER_BIN names no router');
  const common = {
    trafficProgram: buildGo('./traffic'),
    makeRouter: stockRouters(binary),
    hasLinks: true,
    dialAfterRestartMs: 3000,
  };
  console.log('clients with API sessions:');
  const whole = { bytes: 100_000_000, hasModel: true, countsUsage: true };
  const isWhole = await carryTraffic(endings, { ...common, ...whole });
  console.log('clients that log in by OIDC:');
  const isWholeByOidc = await carryTraffic(endings, {
    ...common,
    bytes: 10_000_000,
    byOidc: true,
  });
  return isWhole && isWholeByOidc;
});
