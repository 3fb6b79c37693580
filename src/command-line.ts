// Runs the commands: their effects, output and exit codes, given the process that they run in.

import { join } from 'node:path';
import { type Arguments, exitCodes, readArguments } from './arguments.ts';
import { restoreOrder } from './backup/restore-order.ts';
import { snapshotOrder } from './backup/snapshot-order.ts';
import { type Config, homeOf, loadConfig } from './config.ts';
import { StartProblem } from './errors.ts';
import { defaultLimits, type Limits } from './limits.ts';
import type { Log, OpenLog } from './observe/logs.ts';
import { logOrder } from './offline/log-order.ts';
import { ConfigProblem } from './setting.ts';
import { version } from './version.ts';
import type { ControllerSystem, FirstStart, RunningController, World } from './world.ts';

/** Runs the command that the arguments name. @returns the exit code */
export async function runCommandLine(words: readonly string[], world: World): Promise<number> {
  const read = readArguments(words);
  if (read.command === 'none') {
    world.out(read.out);
    world.err(read.err);
    return read.exitCode;
  }
  if (read.command === 'version') {
    world.out(`edge-control ${version}\n`);
    return exitCodes.stopped;
  }
  try {
    if (isLook(read)) return await look(read, world);
    if (read.command === 'snapshot') return await snapshot(read.flags, world);
    if (read.command === 'restore') return await restoreFile(read.file, read.flags, world);
    if (read.command === 'admin reset') return await adminReset(read.flags, world);
    const config = loadConfig({ ...world, readFile: world.readFile, flags: read.flags });
    return await (read.command === 'init' ? init(config, world) : run(config, world));
  } catch (thrown) {
    world.err(`edge-control: ${startSentence(thrown)}\n`);
    return exitCodes.notStarted;
  }
}

/** A bug in the program shows its stack, because its message alone would not help. */
function startSentence(thrown: unknown): string {
  if (thrown instanceof StartProblem) return thrown.message;
  return thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
}

type Look = Extract<Arguments, { readonly command: 'log' | 'check' }>;

function isLook(read: Arguments): read is Look {
  return read.command === 'log' || read.command === 'check';
}

/** Reads a home without a controller. Modules are loaded only when they are needed. */
async function look({ command, flags }: Look, world: World): Promise<number> {
  const { home: named, ...rest } = flags;
  const home = homeOf({ ...world, flags: typeof named === 'string' ? { home: named } : {} });
  let isWhole: boolean;
  if (command === 'log') {
    const { showLog } = await import('./offline/log-command.ts');
    isWhole = await showLog(logOrder(home, rest), world);
  } else {
    const { checkHome } = await import('./offline/check-command.ts');
    isWhole = checkHome(home, limitsOf(home, world), world);
  }
  await world.drained();
  return isWhole ? exitCodes.stopped : exitCodes.failed;
}

/** The limits in force, or the defaults with a message when the configuration cannot be used. */
function limitsOf(home: string, world: World): Limits {
  try {
    return loadConfig({ ...world, readFile: world.readFile, flags: { home } }).limits;
  } catch (thrown) {
    if (!(thrown instanceof ConfigProblem)) throw thrown;
    world.err(`edge-control: ${thrown.message} The default bounds are taken.\n`);
    return defaultLimits;
  }
}

type Flags = Readonly<Record<string, string | true>>;

/** The values of settings among all flags. */
function texts(flags: Flags): Record<string, string> {
  const entries = Object.entries(flags).filter(([, value]) => typeof value === 'string');
  return Object.fromEntries(entries) as Record<string, string>;
}

async function snapshot(flags: Flags, world: World): Promise<number> {
  const order = snapshotOrder({ ...world, flags });
  const config = loadConfig({ ...world, readFile: world.readFile, flags: texts(flags) });
  const { takeSnapshot } = await import('./backup/snapshot-command.ts');
  const takeDirectly = async () => {
    const open = world.openLog(config.log.level);
    try {
      const { initHome } = await world.loadController();
      const { firstStart } = await initHome(config, systemOf(world, open));
      // Left by a first start that was interrupted before the password was shown.
      if (firstStart !== undefined) keepPassword(firstStart, config, world);
    } finally {
      open.flush();
    }
  };
  const isDone = await takeSnapshot({ config, order, world, takeDirectly });
  return isDone ? exitCodes.stopped : exitCodes.failed;
}

async function restoreFile(file: string, flags: Flags, world: World): Promise<number> {
  const order = restoreOrder(file, { ...world, flags });
  const home = homeOf({ ...world, flags: texts(flags) });
  const { restore } = await import('./backup/restore-command.ts');
  return restore(home, order, world) ? exitCodes.stopped : exitCodes.failed;
}

async function adminReset(flags: Flags, world: World): Promise<number> {
  const config = loadConfig({ ...world, readFile: world.readFile, flags: texts(flags) });
  const { username } = texts(flags);
  const { resetAdmin } = await import('./offline/admin-reset-command.ts');
  const isDone = await resetAdmin({
    config,
    world,
    order: { username, removeMfa: flags['removeMfa'] === true },
    resetDirectly: async (order) => {
      const open = world.openLog(config.log.level);
      try {
        const { resetAdministratorOf } = await world.loadController();
        return await resetAdministratorOf(config, systemOf(world, open), order);
      } finally {
        open.flush();
      }
    },
  });
  return isDone ? exitCodes.stopped : exitCodes.failed;
}

async function init(config: Config, world: World): Promise<number> {
  const open = world.openLog(config.log.level);
  try {
    const { initHome } = await world.loadController();
    const { firstStart } = await initHome(config, systemOf(world, open));
    if (firstStart === undefined) {
      world.out(`${config.home} was initialised before\n`);
    } else {
      const file = keepPassword(firstStart, config, world);
      const where = file === undefined ? '' : `, password in ${file}`;
      world.out(`initialised ${config.home}, administrator ${firstStart.adminUser}${where}\n`);
    }
    return exitCodes.stopped;
  } finally {
    open.flush();
  }
}

/** @throws the error that prevented the start; later failures become an exit code */
async function run(config: Config, world: World): Promise<number> {
  const open = world.openLog(config.log.level);
  try {
    const signalled = firstSignal(world);
    const { startController } = await world.loadController();
    const controller = await startController(config, systemOf(world, open));
    const { firstStart } = controller;
    if (firstStart !== undefined) {
      try {
        const file = keepPassword(firstStart, config, world);
        announce(controller, firstStart, file, world, open.log);
      } catch (thrown) {
        await controller.stop();
        throw thrown;
      }
    }
    // From a terminal SIGHUP means that the user has left.
    if (!world.terminal) world.onHangUp(() => void controller.reopenCertificate());
    world.onUserSignal(() => void controller.takeSnapshot());
    world.out(`ready ${controller.url}\n`);
    return await serve(controller, signalled, open.log);
  } finally {
    open.flush();
  }
}

function systemOf(world: World, open: OpenLog): ControllerSystem {
  const { clock, random } = world;
  const fatal = (err: unknown): never => {
    open.log.fatal({ err }, fatalNote);
    open.flush();
    world.abort(exitCodes.failed);
    throw err;
  };
  return { clock, random, log: open.log, fatal };
}

const fatalNote =
  'the controller ends at once, as its memory is no longer what its log says: start it again, ' +
  'which recovers everything from the log, and report this bug';

/** Resolves at the first signal; a second one ends the process at once. */
function firstSignal(world: World): Promise<void> {
  return new Promise((resolve) => {
    let seen = false;
    world.onSignal(() => {
      if (seen) world.abort(exitCodes.failed);
      seen = true;
      resolve();
    });
  });
}

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
    await Promise.race([controller.stop(), failed]);
    return exitCodes.stopped;
  } catch (err) {
    log.fatal({ err }, 'the controller ends: mend what the error names, and start it again');
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
  world: World,
): string | undefined {
  if (config.adminPassword !== undefined) return undefined;
  const file = join(config.home, 'admin-password');
  try {
    world.writeSecret(file, `${adminPassword}\n`);
  } catch (thrown) {
    throw new StartProblem(
      `The administrator's password cannot be kept, remove ${config.home} and start again: ${String(thrown)}.`,
    );
  }
  return file;
}

/** Prints the first steps once: to a terminal with the password, to a log without it. */
function announce(
  controller: RunningController,
  firstStart: FirstStart,
  passwordFile: string | undefined,
  world: World,
  log: Log,
): void {
  const { url, caFile } = controller;
  const { adminUser, adminPassword } = firstStart;
  if (!world.terminal) {
    log.info({ url, caFile, adminUser, kept: passwordFile }, 'first start');
    return;
  }
  const isMadeUp = passwordFile !== undefined;
  const kept = isMadeUp ? `${adminPassword}  (kept in ${passwordFile})` : 'as you set it';
  const login = JSON.stringify({ username: adminUser, password: adminPassword });
  const first = isMadeUp
    ? `curl --cacert ${quoted(caFile)} -H 'content-type: application/json' -d ${quoted(login)} '${url}/edge/management/v1/authenticate?method=password'`
    : `curl --cacert ${quoted(caFile)} ${url}/edge/client/v1/version`;
  world.err(`
  API             ${url}
  CA file         ${caFile}
  administrator   ${adminUser}
  password        ${kept}

  Try: ${first}

`);
}

/** A word of a POSIX shell. */
function quoted(word: string): string {
  return /^[\w./:@=-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
