// Kills the leader of a cluster while the stock Go SDK carries traffic through routers:
// `node test/system/cluster-traffic/run.ts`, and with the word `stock` through unmodified OpenZiti
// routers, whose binary ROUTER_BIN names. Exit code 75: there is no nats-server, no Go, no module,
// or no such router.

import { Lacking, runStep } from '../endings.ts';
import { buildGo } from '../openziti-go/build.ts';
import { type MakeRouter, twinRouters } from '../overlay/router.ts';
import { stockRouters } from '../stock-router/stock-router.ts';
import { surviveTakeovers } from './scenario.ts';

/**
 * A stock router dials the address of a broken connection alone, until it has heard nothing for
 * the last of these; by default that is 30 s.
 */
const heartbeats = { sendInterval: '1s', checkInterval: '1s', closeUnresponsiveTimeout: '5s' };

const isStock = process.argv[2] === 'stock';

await runStep(
  async (endings) =>
    await surviveTakeovers({
      endings,
      makeRouter: routers(),
      trafficProgram: buildGo('./traffic'),
      hasLinks: isStock,
      // CI runs much beside the twin.
      routerBackMs: isStock ? 5000 : 30_000,
      dialMs: isStock ? 5000 : 30_000,
    }),
);

function routers(): MakeRouter {
  if (!isStock) return twinRouters(buildGo('./twin'));
  const binary = process.env['ROUTER_BIN'];
  if (binary === undefined) throw new Lacking('ROUTER_BIN names no router');
  return stockRouters(binary, heartbeats);
}
