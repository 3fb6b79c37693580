// Uses the stock command `ziti fabric` against a controller with two stock routers, a link and a
// circuit: `ROUTER_BIN=/path/to/ziti node test/system/ziti-fabric/run.ts`. Exit code 75: no
// `ROUTER_BIN`, no Go to build the SDK's program with, or the module proxy did not give modules.

import { Lacking, runStep } from '../endings.ts';
import { buildGo } from '../openziti-go/build.ts';
import { Overlay } from '../overlay/overlay.ts';
import { stockRouters } from '../stock-router/stock-router.ts';
import { FabricScenario } from './scenario.ts';
import { ZitiCommand } from './ziti-command.ts';

await runStep(async (endings) => {
  const binary = process.env['ROUTER_BIN'];
  if (binary === undefined) throw new Lacking('ROUTER_BIN names no binary of OpenZiti');
  const overlay = new Overlay(endings, stockRouters(binary), buildGo('./traffic'));
  const scenario = new FabricScenario(overlay, new ZitiCommand(endings, binary, overlay.directory));
  const { steps } = scenario;
  try {
    await scenario.run();
  } catch (thrown) {
    steps.fail('the scenario goes on', thrown);
  }
  if (!steps.isWhole) console.log(`the logs of all processes are in ${overlay.keepLogs()}`);
  return steps.isWhole;
});
