// The command `apply`: gives a controller the network of a file.

import type { ProcessContext } from '../../assembly/process-context.ts';
import {
  type ControllerClient,
  ControllerUnreachable,
  RequestRefused,
} from '../../client/index.ts';
import { StartProblem } from '../../errors/errors.ts';
import type { Config } from '../../settings/config.ts';
import { standardInput } from '../../settings/setting-type.ts';
import { readOrRefuse } from '../backup/reach-controller.ts';
import { Progress } from '../offline/progress.ts';
import { type Carried, carryOut, type Failure } from './carry-out.ts';
import { creationProblem } from './creation-check.ts';
import type { Fault, NetworkFile } from './file-entries.ts';
import type { ApplyOrder } from './flags.ts';
import { requestsMax, whileLoggedIn } from './logged-in.ts';
import { readNetwork } from './network.ts';
import { networkFileBounds, readNetworkFile } from './network-file.ts';
import { isEmptyPlan, type Plan, planOf } from './plan.ts';
import { faultsText, planText } from './plan-text.ts';

/** How `apply` ended: `pending` is a dry run that found something to do. */
export type Applied = 'done' | 'refused' | 'wrong' | 'pending';

/** What the command needs. */
export interface ApplyCommand {
  readonly config: Config;
  readonly order: ApplyOrder;
  readonly context: ProcessContext;
  /** Resolves when the user wants the command to end. */
  readonly signalled: Promise<void>;
}

/** Shows the plan and carries it out. @throws StartProblem, ConfigProblem: nothing was changed */
export async function applyNetwork(command: ApplyCommand): Promise<Applied> {
  const { config, order, context, signalled } = command;
  const isZiti = order.format === 'ziti' || order.format === 'ziti-yaml';
  const file = readNetworkFile(
    readOrRefuse(context, order.file, networkFileBounds),
    isZiti ? 'ziti' : 'own',
  );
  if (file.faults.length > 0) return wrong(order, file.faults, context);
  const run = new ApplyRun(command, file);
  const work = whileLoggedIn(config, order, context, (client) => run.with(client));
  try {
    return await Promise.race([work, signalled.then(() => run.interrupted(work))]);
  } catch (error) {
    if (run.isGivenUp) return 'refused';
    const isKnown = error instanceof ControllerUnreachable || error instanceof RequestRefused;
    if (!isKnown) throw error;
    run.progress.err(`edge-control: ${error.message}`);
    return 'refused';
  } finally {
    run.progress.clear();
  }
}

/** One run with a file that has no faults. */
class ApplyRun {
  readonly progress: Progress;
  readonly #command: ApplyCommand;
  readonly #file: NetworkFile;
  #phase: 'reading' | 'asking' | 'changing' = 'reading';
  #isInterrupted = false;

  constructor(command: ApplyCommand, file: NetworkFile) {
    this.progress = new Progress(command.context);
    this.#command = command;
    this.#file = file;
  }

  /** Whether it was interrupted before anything was asked: how it fails then is of no interest. */
  get isGivenUp(): boolean {
    return this.#isInterrupted && this.#phase === 'reading';
  }

  async with(client: ControllerClient): Promise<Applied> {
    const { order, context } = this.#command;
    const { progress } = this;
    const network = await readNetwork(client, (count) => {
      if (!this.#isInterrupted) progress.say(() => `${count} entities read`);
    });
    if (this.#isInterrupted) return 'refused';
    const plan = planOf(this.#file, network, {
      isPruning: order.isPruning,
      problemOf: creationProblem,
    });
    progress.clear();
    if (plan.faults.length > 0) return wrong(order, plan.faults, context);
    context.out(planText(plan));
    if (isEmptyPlan(plan)) return 'done';
    if (order.isDryRun) return 'pending';
    this.#phase = 'asking';
    if (!order.isAgreed && !(await this.#isAgreed())) {
      progress.err(nothingChanged);
      return 'refused';
    }
    this.#phase = 'changing';
    const carried = await carryOut({
      client,
      network,
      plan,
      concurrency: requestsMax,
      said: (done, all) => progress.say(() => `${done} of ${all} done`),
      isInterrupted: () => this.#isInterrupted,
    });
    return this.#ended(carried, plan);
  }

  /**
   * Ends the run: after what is under way, but soon while it only reads.
   * @param work the whole run, with the login before and the logout after it
   */
  async interrupted(work: Promise<Applied>): Promise<Applied> {
    this.#isInterrupted = true;
    if (this.#phase === 'changing') this.progress.err(finishing);
    if (this.#phase !== 'reading') return await work;
    this.progress.err(nothingChanged);
    const { context } = this.#command;
    await Promise.race([work.catch(() => undefined), context.sleep(logOutWaitMs)]);
    return 'refused';
  }

  #ended({ done, all, failures }: Carried, plan: Plan): Applied {
    const { progress } = this;
    for (const failure of failures) progress.err(failureText(failure));
    if (done === all) {
      progress.out(`done: ${countOf(plan)} changes`);
      return 'done';
    }
    const why = failures.length > 0 ? 'not all of it was done' : 'interrupted';
    progress.err(
      `edge-control: ${why}: ${done} of ${all} changes were made, and the same command goes on from there.`,
    );
    return 'refused';
  }

  /** @throws StartProblem when there is nobody to ask */
  async #isAgreed(): Promise<boolean> {
    const { order, context, signalled } = this.#command;
    if (!context.answerInput.isTerminal || order.file === standardInput) {
      throw new StartProblem('Nothing was changed: there is nobody to ask, so give --yes.');
    }
    const question = 'Make these changes? Type y or yes: ';
    const unanswered = signalled.then(() => context.err('\n'));
    const asking = context.answerInput.ask(question).catch(() => context.err('\n'));
    const answer = await Promise.race([asking, unanswered]);
    return typeof answer === 'string' && /^y(es)?$/i.test(answer.trim());
  }
}

/** A user who interrupts does not wait longer for the logout: the session ends by itself. */
const logOutWaitMs = 1000;

const finishing =
  'edge-control: the changes that are under way are finished first; interrupt again to end at once.';

const nothingChanged = 'edge-control: Nothing was changed.';

function wrong({ file }: ApplyOrder, faults: readonly Fault[], context: ProcessContext): Applied {
  context.err(faultsText(file, faults));
  context.err(
    `edge-control: ${faults.length} ${faults.length === 1 ? 'fault' : 'faults'}; nothing was changed.\n`,
  );
  return 'wrong';
}

function failureText({ step, error }: Failure): string {
  const name = step.action === 'delete' ? step.present.name : step.entry.name;
  const what = `${step.action} ${step.section.name}/${name}`;
  return `edge-control: ${what}: ${error.message}`;
}

function countOf({ creations, updates, deletions }: Plan): number {
  return creations.length + updates.length + deletions.length;
}
