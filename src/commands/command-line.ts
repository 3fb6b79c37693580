// Runs the commands: their effects, output and exit codes, given the process that they run in.

import { join } from 'node:path';
import { passwordName } from '../../snapshots/home/layout.ts';
import type {
  ControllerModule,
  ControllerSystem,
  FirstStart,
  ProcessContext,
  RunningController,
} from '../assembly/process-context.ts';
import { NodeEnded } from '../cluster/node/node-ended.ts';
import { StartProblem } from '../errors/errors.ts';
import type { Log } from '../observe/logs.ts';
import { sourceStack } from '../observe/stacks.ts';
import { printable } from '../platform/printable.ts';
import { version } from '../platform/version.ts';
import { type Config, homeOf, loadConfig } from '../settings/config.ts';
import { defaultLimits, type Limits } from '../settings/limits.ts';
import { ConfigProblem } from '../settings/setting-type.ts';
import { type Flags, readArguments } from './arguments.ts';
import { restoreOrder, snapshotOrder } from './backup/flags.ts';
import type { ClusterCommandName } from './cluster/flags.ts';
import type { Applied } from './declarative/apply-command.ts';
import { applyOrder, exportOrder } from './declarative/flags.ts';
import { exitCodes, refusalCode } from './exit-codes.ts';
import { logOrder } from './offline/log-order.ts';
import { type MigrateFlags, migrateOrder } from './offline/migrate-flags.ts';
import { pkiImportOrder } from './offline/pki-import-order.ts';
import type { Status } from './offline/status-command.ts';
import { statusRequest } from './offline/status-flags.ts';
import { announceAgain, announceFirst } from './start-notice.ts';

/** Runs the command that the arguments name. @returns the exit code */
export async function runCommandLine(
  words: readonly string[],
  context: ProcessContext,
): Promise<number> {
  const read = readArguments(words);
  if (read.command === 'none') {
    context.out(read.out);
    context.err(read.err);
    return read.exitCode;
  }
  if (read.command === 'version') {
    context.out(`edge-control ${version}\n`);
    return exitCodes.stopped;
  }
  try {
    if (read.command === 'network') {
      const { runNetworkCommand } = await import('./network/run.ts');
      return await runNetworkCommand(read, context);
    }
    if (read.command === 'restore') return await restoreFile(read.file, read.flags, context);
    if (read.command === 'apply') return await apply(read.file, read.flags, context);
    if (read.command === 'pki import') return await pkiImport(read.file, read.flags, context);
    if (read.command === 'migrate') return await migrateHome(read.flags, context);
    if (read.command === 'cluster') return await cluster(read.name, read.flags, context);
    if (read.command !== 'init' && read.command !== 'run') {
      return await tools[read.command](read.flags, context);
    }
    const config = loadConfig({ ...context, flags: read.flags });
    return await (read.command === 'init' ? init(config, context) : run(config, context));
  } catch (thrown) {
    context.err(`edge-control: ${startSentence(thrown)}\n`);
    return refusalCode(thrown);
  }
}

const tools = {
  log,
  check,
  snapshot,
  status,
  stop,
  export: exportFile,
  'admin reset': adminReset,
  'keys roll': keysRoll,
};

/** A bug in the program shows its stack, because its message alone would not help. */
function startSentence(thrown: unknown): string {
  if (thrown instanceof StartProblem) return printable(thrown.message);
  return thrown instanceof Error ? sourceStack(thrown.stack ?? thrown.message) : String(thrown);
}

/** Shows the log without a controller. Modules are loaded only when they are needed. */
async function log(flags: Flags, context: ProcessContext): Promise<number> {
  const { showLog } = await import('./offline/log-command.ts');
  const home = homeOf({ ...context, flags: texts(flags) });
  const isWhole = await showLog(logOrder(home, flags), context);
  await context.drained();
  return exitCodeOf(isWhole);
}

/** Checks a home without a controller. */
async function check(flags: Flags, context: ProcessContext): Promise<number> {
  const { checkHome } = await import('./offline/check-command.ts');
  const home = homeOf({ ...context, flags: texts(flags) });
  const isWhole = checkHome(home, limitsOf(home, context), context);
  await context.drained();
  return exitCodeOf(isWhole);
}

/** Asks the controller that runs on a home how it is. */
async function status(flags: Flags, context: ProcessContext): Promise<number> {
  const { showStatus } = await import('./offline/status-command.ts');
  const home = homeOf({ ...context, flags: texts(flags) });
  return statusCodes[await showStatus(statusRequest(home, flags), context)];
}

const statusCodes: Readonly<Record<Status, number>> = {
  healthy: exitCodes.stopped,
  unhealthy: exitCodes.failed,
  stopped: exitCodes.notRunning,
};

/** Stops the controller that runs on a home. */
async function stop(flags: Flags, context: ProcessContext): Promise<number> {
  const { stopController } = await import('./offline/status-command.ts');
  const { home, limits } = loadConfig({ ...context, flags: texts(flags) });
  // A stop that takes longer than its limit fails, and the process ends soon after.
  return exitCodeOf(await stopController(home, 2 * limits.drainTimeoutMs, context));
}

function exitCodeOf(isDone: boolean): number {
  return isDone ? exitCodes.stopped : exitCodes.failed;
}

/** The limits in force, or the defaults with a message when the configuration cannot be used. */
function limitsOf(home: string, context: ProcessContext): Limits {
  try {
    return loadConfig({ ...context, flags: { home } }).limits;
  } catch (thrown) {
    if (!(thrown instanceof ConfigProblem)) throw thrown;
    context.err(`edge-control: ${thrown.message} The default bounds are taken.\n`);
    return defaultLimits;
  }
}

/** The values of settings among all flags. */
function texts(flags: Flags): Record<string, string> {
  const entries = Object.entries(flags).filter(([, value]) => typeof value === 'string');
  return Object.fromEntries(entries) as Record<string, string>;
}

async function snapshot(flags: Flags, context: ProcessContext): Promise<number> {
  const order = snapshotOrder({ ...context, flags });
  const config = loadConfig({ ...context, flags: texts(flags) });
  const { takeSnapshot } = await import('./backup/snapshot-command.ts');
  const takeDirectly = () =>
    withController(config, context, async ({ initHome }, system) => {
      const { firstStart } = await initHome(config, system);
      // Left by a first start that was interrupted before the password was shown.
      if (firstStart !== undefined) keepPassword(firstStart, config, context);
    });
  return exitCodeOf(await takeSnapshot({ config, order, context, takeDirectly }));
}

async function restoreFile(file: string, flags: Flags, context: ProcessContext): Promise<number> {
  const order = restoreOrder(file, { ...context, flags });
  const home = homeOf({ ...context, flags: texts(flags) });
  const { restore } = await import('./backup/restore-command.ts');
  return exitCodeOf(restore(home, order, context));
}

async function migrateHome(flags: MigrateFlags, context: ProcessContext): Promise<number> {
  const order = migrateOrder(flags, context.directory);
  const { home: named } = flags;
  const given = typeof named === 'string' ? { home: named } : {};
  const home = homeOf({ ...context, flags: given });
  const { migrateNetwork } = await import('./offline/migrate-command.ts');
  const code = await migrateNetwork(home, order, context);
  await context.drained();
  return code;
}

async function exportFile(flags: Flags, context: ProcessContext): Promise<number> {
  const order = exportOrder({ ...context, flags });
  const config = loadConfig({ ...context, flags: texts(flags) });
  const { exportNetwork } = await import('./declarative/export-command.ts');
  await exportNetwork(config, order, context);
  await context.drained();
  return exitCodes.stopped;
}

async function apply(file: string, flags: Flags, context: ProcessContext): Promise<number> {
  const order = applyOrder(file, { ...context, flags });
  const config = loadConfig({ ...context, flags: texts(flags) });
  const { applyNetwork } = await import('./declarative/apply-command.ts');
  const applied = await applyNetwork({ config, order, context, signalled: firstSignal(context) });
  await context.drained();
  return appliedCodes[applied];
}

const appliedCodes: Readonly<Record<Applied, number>> = {
  done: exitCodes.stopped,
  refused: exitCodes.failed,
  wrong: exitCodes.notStarted,
  pending: exitCodes.pending,
};

async function adminReset(flags: Flags, context: ProcessContext): Promise<number> {
  const config = loadConfig({ ...context, flags: texts(flags) });
  const { username } = texts(flags);
  const { resetAdmin } = await import('./offline/admin-reset-command.ts');
  const isDone = await resetAdmin({
    config,
    context,
    order: { username, removeMfa: flags['removeMfa'] === true },
    resetDirectly: (order) =>
      withController(config, context, ({ resetAdministratorOf }, system) =>
        resetAdministratorOf(config, system, order),
      ),
  });
  return exitCodeOf(isDone);
}

async function keysRoll(flags: Flags, context: ProcessContext): Promise<number> {
  const config = loadConfig({ ...context, flags: texts(flags) });
  const { rollKeys } = await import('./offline/keys-roll-command.ts');
  return exitCodeOf(await rollKeys(config, flags['endSessions'] === true, context));
}

async function pkiImport(file: string, flags: Flags, context: ProcessContext): Promise<number> {
  const order = pkiImportOrder(file, flags, context.directory);
  const config = loadConfig({ ...context, flags: texts(flags) });
  const { refuseForeignFiles } = await import('../assembly/home-refusal.ts');
  refuseForeignFiles(context.disk, config);
  const { importAndReport } = await import('./offline/pki-import-command.ts');
  await importAndReport({ config, order, context });
  return exitCodes.stopped;
}

async function cluster(
  name: ClusterCommandName,
  flags: Flags,
  context: ProcessContext,
): Promise<number> {
  const config = loadConfig({ ...context, flags: texts(flags) });
  const { runClusterCommand } = await import('./cluster/run.ts');
  const isDone = await runClusterCommand({ name, flags, config, context });
  await context.drained();
  return exitCodeOf(isDone);
}

/** A new home stands alone, also where a cluster is configured that it will belong to. */
function init(configured: Config, context: ProcessContext): Promise<number> {
  const config = { ...configured, cluster: undefined };
  return withController(config, context, async ({ initHome }, system) => {
    const { firstStart } = await initHome(config, system);
    if (firstStart === undefined) {
      context.out(`${config.home} was initialised before\n`);
    } else {
      const file = keepPassword(firstStart, config, context);
      const where = file === undefined ? '' : `, password in ${file}`;
      context.out(`initialised ${config.home}, administrator ${firstStart.adminUser}${where}\n`);
    }
    return exitCodes.stopped;
  });
}

/** @throws the error that prevented the start; later failures become an exit code */
async function run(config: Config, context: ProcessContext): Promise<number> {
  const signalled = firstSignal(context);
  return await withController(config, context, async ({ startController }, system) => {
    const controller = await startController(config, system);
    const { firstStart } = controller;
    if (firstStart !== undefined) {
      try {
        const file = keepPassword(firstStart, config, context);
        const { groupedFingerprint, rootsOfHome } = await import(
          './network/connection/fingerprints.ts'
        );
        const roots = rootsOfHome(controller.caFile, context.readFile);
        const fingerprints = roots.map(groupedFingerprint);
        const facts = { controller, firstStart, fingerprints, passwordFile: file };
        announceFirst(facts, context, system.log);
      } catch (thrown) {
        await controller.stop();
        throw thrown;
      }
    } else announceAgain(controller, config.home, context, system.log);
    // From a terminal SIGHUP means that the user has left.
    if (!context.terminal) context.onHangUp(() => void controller.reopenCertificate());
    context.onUserSignal(() => void controller.takeSnapshot());
    context.out(`ready ${controller.url}\n`);
    return await serve(controller, signalled, system.log);
  });
}

/** Loads the controller for `use`, and writes its log to the end afterwards. */
async function withController<T>(
  config: Config,
  context: ProcessContext,
  use: (module: ControllerModule, system: ControllerSystem) => Promise<T>,
): Promise<T> {
  const { log, settled, flush } = context.openLog(config.log.level);
  const { clock, random } = context;
  const fatal = (err: unknown): never => {
    log.fatal({ err }, fatalNote);
    flush();
    context.abort(exitCodes.failed);
    throw err;
  };
  try {
    return await use(await context.loadController(), { clock, random, log, fatal });
  } finally {
    await Promise.race([settled(), context.sleep(settleMsMax)]);
    flush();
  }
}

/** How long an end waits for a reader of the log that stalls. @bound */
const settleMsMax = 200;

const fatalNote =
  'the controller ends at once, because its memory differs from its log: start it again, ' +
  'which recovers everything from the log, and report this bug';

/** Resolves at the first signal; a later one ends the process at once. */
function firstSignal(context: ProcessContext): Promise<void> {
  return new Promise((resolve) => {
    let firstMs: number | undefined;
    context.onSignal(() => {
      const nowMs = context.clock.monotonic();
      firstMs ??= nowMs;
      if (nowMs - firstMs > sameSignalMs) context.abort(exitCodes.failed);
      resolve();
    });
  });
}

/** Ctrl-C reaches every process of a terminal, and npm passes it on to us once more. */
const sameSignalMs = 500;

/**
 * Waits for the end: a signal and the clean stop after it, or a failure, including one of the stop.
 */
async function serve(
  controller: RunningController,
  signalled: Promise<void>,
  log: Log,
): Promise<number> {
  const failed = controller.failed.then((reason) => {
    throw reason;
  });
  try {
    await Promise.race([signalled, failed]);
    log.info('stopping');
    await Promise.race([controller.stop(), failed]);
    log.info('stopped');
    return exitCodes.stopped;
  } catch (err) {
    if (err instanceof NodeEnded) {
      log.warn({ reason: err.message }, 'the controller ends, to be started again as a follower');
      return exitCodes.nodeEnded;
    }
    log.fatal({ err }, 'the controller ends: fix what the error names, and start it again');
    return exitCodes.failed;
  }
}

/**
 * Saves a generated password where only the owner of the home can read it. @returns the file, if
 * any
 */
function keepPassword(
  { adminPassword }: FirstStart,
  config: Config,
  context: ProcessContext,
): string | undefined {
  if (config.adminPassword !== undefined) return undefined;
  const file = join(config.home, passwordName);
  try {
    context.writeSecret(file, `${adminPassword}\n`);
  } catch (thrown) {
    throw new StartProblem(
      `The administrator's password cannot be kept, remove ${config.home} and start again: ${String(thrown)}.`,
    );
  }
  return file;
}
