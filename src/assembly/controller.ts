// Serves a home, creates one, or resets an administrator of one, for the commands.

import { nodeDisk } from '../../snapshots/home/disk.ts';
import { refuseIfInUse } from '../../snapshots/home/lock.ts';
import { ClaimedPorts } from '../http/front/claimed-ports.ts';
import type {
  AdministratorReset,
  ResetAnswer,
} from '../resources/authenticators/administrator-reset.ts';
import type { Config } from '../settings/config.ts';
import type { HomeNode } from './cluster/node.ts';
import { refuseForeignFiles } from './home-refusal.ts';
import { openCoreOf } from './opened-core.ts';
import { answerReset } from './owner-handler.ts';
import { addressesOf, configured, withPort } from './ports-and-addresses.ts';
import type { ControllerSystem, FirstStart, RunningController } from './process-context.ts';
import { ServedController } from './served-controller.ts';
import { asStartProblem } from './start-problem.ts';

/** Creates a home without serving it. @throws StartProblem in one sentence. */
export async function initHome(
  config: Config,
  system: ControllerSystem,
): Promise<{ readonly firstStart?: FirstStart | undefined }> {
  try {
    refuseForeignFiles(nodeDisk, config);
    const { core, firstStart } = await openCoreOf(
      config,
      system,
      addressesOf(config, configured(config)),
    );
    await core.close();
    return { firstStart };
  } catch (error) {
    throw asStartProblem(error, config.home);
  }
}

/**
 * Resets an administrator of a home that no process has locked. @throws StartProblem in one
 * sentence when the home cannot be opened.
 */
export async function resetAdministratorOf(
  config: Config,
  system: ControllerSystem,
  order: AdministratorReset,
): Promise<ResetAnswer> {
  try {
    const { core } = await openCoreOf(config, system, addressesOf(config, configured(config)));
    try {
      return await answerReset(core, system.log, order);
    } finally {
      await core.close();
    }
  } catch (error) {
    throw asStartProblem(error, config.home);
  }
}

/**
 * Opens the home, which it creates on first start, and serves requests.
 * @param node in place of the one that the configuration names; for tests
 * @throws StartProblem in one sentence.
 */
export async function startController(
  config: Config,
  system: ControllerSystem,
  node?: HomeNode,
): Promise<RunningController> {
  const { cluster } = config;
  const ports = new ClaimedPorts();
  try {
    // Ports that the other process holds would only hide the reason.
    refuseIfInUse(nodeDisk, config.home);
    refuseForeignFiles(nodeDisk, config);
    if (cluster === undefined || node !== undefined) {
      return await new ServedController(config, system, ports, node).start();
    }
    // Its code is loaded only here, because most controllers are alone.
    const { createNode } = await import('./cluster/node.ts');
    const settings = await withPort(cluster, ports);
    const made = await createNode(config, settings, { ...system, disk: nodeDisk });
    return await new ServedController(config, system, ports, made).start();
  } catch (error) {
    throw asStartProblem(error, config.home);
  } finally {
    ports.release();
  }
}
