// The command `apply`: gives a controller the network of a file.

import { reasonOf } from '../../snapshots/errors.ts';
import { readOrRefuse } from '../backup/reach-controller.ts';
import { type ControllerClient, ControllerUnreachable, RequestRefused } from '../client/index.ts';
import type { Config } from '../config.ts';
import { StartProblem } from '../errors.ts';
import { Progress } from '../offline/progress.ts';
import { standardInput } from '../setting.ts';
import type { World } from '../world.ts';
import { carryOut, type Failure } from './carry-out.ts';
import type { ApplyOrder } from './flags.ts';
import { requestsMax, whileLoggedIn } from './logged-in.ts';
import { readNetwork } from './network.ts';
import { type Fault, type NetworkFile, readNetworkFile } from './network-file.ts';
import { isEmptyPlan, type Plan, planOf } from './plan.ts';
import { faultsText, planText } from './plan-text.ts';

/** How `apply` ended: `pending` is a dry run that found something to do. */
export type Applied = 'done' | 'refused' | 'wrong' | 'pending';

/** Shows the plan and carries it out. @throws StartProblem, ConfigProblem: nothing was changed */
export async function applyNetwork(
  config: Config,
  order: ApplyOrder,
  world: World,
): Promise<Applied> {
  const isZiti = order.format === 'ziti' || order.format === 'ziti-yaml';
  const file = readNetworkFile(readOrRefuse(world, order.file), isZiti ? 'ziti' : 'own');
  if (file.faults.length > 0) return wrong(order, file.faults, world);
  const progress = new Progress(world);
  try {
    return await whileLoggedIn(config, order, world, (client) =>
      applyTo(client, file, order, world, progress),
    );
  } catch (error) {
    const isKnown = error instanceof ControllerUnreachable || error instanceof RequestRefused;
    if (!isKnown) throw error;
    progress.err(`edge-control: ${error.message}`);
    return 'refused';
  } finally {
    progress.clear();
  }
}

async function applyTo(
  client: ControllerClient,
  file: NetworkFile,
  order: ApplyOrder,
  world: World,
  progress: Progress,
): Promise<Applied> {
  const network = await readNetwork(client, (count) =>
    progress.say(() => `${count} entities read`),
  );
  const plan = planOf(file, network, order.isPruning);
  progress.clear();
  if (plan.faults.length > 0) return wrong(order, plan.faults, world);
  world.out(planText(plan));
  if (isEmptyPlan(plan)) return 'done';
  if (order.isDryRun) return 'pending';
  if (!order.isAgreed) await askForAgreement(order, world);
  const failures = await carryOut({
    client,
    network,
    plan,
    concurrency: requestsMax,
    said: (done, all) => progress.say(() => `${done} of ${all} done`),
  });
  for (const failure of failures) progress.err(failureText(failure));
  if (failures.length > 0) {
    progress.err('edge-control: not all of it was done; the same command goes on where it ended.');
    return 'refused';
  }
  progress.out(`done: ${countOf(plan)} changes`);
  return 'done';
}

function wrong({ file }: ApplyOrder, faults: readonly Fault[], world: World): Applied {
  world.err(faultsText(file, faults));
  world.err(
    `edge-control: ${faults.length} ${faults.length === 1 ? 'fault' : 'faults'}; nothing was changed.\n`,
  );
  return 'wrong';
}

async function askForAgreement({ file }: ApplyOrder, world: World): Promise<void> {
  if (!world.secretInput.isTerminal || file === standardInput) {
    throw new StartProblem('Nothing was changed: there is nobody to ask, so give --yes.');
  }
  let answer: string;
  try {
    answer = await world.secretInput.ask('Type yes to do it (not shown): ');
  } catch (error) {
    throw new StartProblem(`Nothing was changed: ${reasonOf(error)}.`);
  }
  if (answer.trim() !== 'yes') throw new StartProblem('Nothing was changed.');
}

function failureText({ step, error }: Failure): string {
  const name = step.action === 'delete' ? step.present.name : step.entry.name;
  const what = `${step.action} ${step.section.name}/${name}`;
  return `edge-control: ${what}: ${error.message}`;
}

function countOf({ creations, updates, deletions }: Plan): number {
  return creations.length + updates.length + deletions.length;
}
