// The command `snapshot`: a snapshot of a home, taken by the controller that holds it or without
// one, and a backup of it.

import { join } from 'node:path';

import {
  LogCorrupt,
  NewerFormat,
  RestoreRefused,
  reasonOf,
  systemCodeOf,
} from '../../../snapshots/errors.ts';

import { type BackupContents, writeBackup } from '../../../snapshots/home/backup.ts';
import { snapshotDirectory } from '../../../snapshots/home/layout.ts';
import { acquireLock, holderOf } from '../../../snapshots/home/lock.ts';
import { readMembership } from '../../../snapshots/home/membership.ts';
import { snapshotStoppedHome } from '../../../snapshots/home/stopped-home.ts';
import type { KeptSnapshot } from '../../../snapshots/journal.ts';
import type { ProcessContext } from '../../assembly/process-context.ts';
import { StartProblem } from '../../errors/errors.ts';
import { version } from '../../platform/version.ts';
import { type Config, shownHome } from '../../settings/config.ts';
import { Progress } from '../offline/progress.ts';
import { manifestOf } from '../offline/refusal.ts';
import { askForSnapshot, NotDone } from './ask-controller.ts';
import type { SnapshotOrder } from './flags.ts';
import { homeFiles } from './home-files.ts';
import { caOf, findController, loginOf } from './reach-controller.ts';

/** What the command needs. */
export interface SnapshotCommand {
  readonly config: Config;
  readonly order: SnapshotOrder;
  readonly context: ProcessContext;
  /** Opens the home, which no process holds, and closes it again with a snapshot. */
  readonly takeDirectly: () => Promise<void>;
}

/**
 * Takes the snapshot, and prints where it is.
 * @returns whether everything was done; otherwise the reason was printed
 * @throws StartProblem if it could not be started
 */
export async function takeSnapshot(command: SnapshotCommand): Promise<boolean> {
  const { config, context, order } = command;
  const progress = new Progress(context);
  try {
    const isNode = readMembership(context.disk, config.home) !== undefined;
    if (isNode && holderOf(context.disk, config.home) === undefined) {
      reportBackup(backUpNode(command, progress), order, progress);
      progress.err(`edge-control: ${nodeRemark}`);
      return true;
    }
    const kept = await newSnapshot(command, progress);
    progress.out(
      `snapshot ${join(snapshotDirectory(config.home), kept.file)}, LSN ${kept.lsn}, ${kept.records} records, ${kept.bytes} bytes`,
    );
    if (order.output === undefined) return true;
    reportBackup(backUp(command, order.output, progress), order, progress);
    return true;
  } catch (error) {
    const sentence = failure(error);
    if (sentence === undefined) throw error;
    progress.err(`edge-control: ${sentence}`);
    return false;
  } finally {
    progress.clear();
  }
}

function reportBackup(contents: BackupContents, order: SnapshotOrder, progress: Progress): void {
  const files = contents.files.length + 2;
  progress.out(`backup ${order.output}, LSN ${contents.lsn}, ${files} files`);
  for (const line of remarks(contents, order)) progress.err(`edge-control: ${line}`);
}

/**
 * A backup of a node that does not run, whose home nothing may be written to outside of its
 * cluster. @throws StartProblem without a place for it; HomeLocked
 */
function backUpNode(
  { config, order, context }: SnapshotCommand,
  progress: Progress,
): BackupContents {
  const { home } = config;
  const { disk, clock } = context;
  const { output } = order;
  if (output === undefined) {
    throw new StartProblem(
      `${home} belongs to a cluster, whose nodes take their snapshots while they run: name a place for a backup with --output.`,
    );
  }
  const manifest = manifestOf(disk, home);
  const target = `${home}.cluster-backup`;
  const release = acquireLock(disk, home);
  try {
    progress.say(() => `reading ${home}`);
    const { path: snapshot } = snapshotStoppedHome(disk, {
      home,
      manifest,
      target,
      nowMs: clock.now(),
    });
    const { files, elsewhere } = homeFiles(disk, config, order);
    return writeBackup(disk, output, { release: version, home, snapshot, files, elsewhere });
  } catch (error) {
    const refusals = [LogCorrupt, NewerFormat];
    const isRefusal = refusals.some((type) => error instanceof type);
    throw isRefusal ? new StartProblem(reasonOf(error)) : error;
  } finally {
    disk.removeTree(target);
    release();
  }
}

/** The log of a node follows behind the cluster. */
const nodeRemark =
  'The backup is that of one stopped node: it may lack what the cluster confirmed in its last second.';

async function newSnapshot(command: SnapshotCommand, progress: Progress): Promise<KeptSnapshot> {
  const { config, context, order } = command;
  const { home } = config;
  const { disk } = context;
  const before = newestOf(command);
  const isServed = holderOf(disk, home) !== undefined;
  if (!isServed) {
    progress.say(() => `taking a snapshot of ${home}`);
    await command.takeDirectly();
  } else {
    const { how, ...address } = await findController(config, order, context);
    const asking = { ...address, login: loginOf(config, order, context) };
    const ca = caOf(config, {}, context);
    progress.say(() => `${asking.url} takes a snapshot`);
    const timeoutMs = config.limits.snapshotTimeoutMs + config.limits.handlerTimeoutMs;
    await askForSnapshot({ ...asking, ca, how, timeoutMs });
  }
  const after = newestOf(command);
  // Our own login alone advances the LSN.
  if (after !== undefined && !(isServed && after.lsn === before?.lsn)) return after;
  throw new NotDone(`${home} has no new snapshot: another controller was asked, see to --url.`);
}

/** @throws StartProblem if there is no home. */
function newestOf({ config, context }: SnapshotCommand): KeptSnapshot | undefined {
  return manifestOf(context.disk, config.home, shownHome(config)).snapshots[0];
}

/** Copies the newest snapshot, because a controller may have taken another one in the meantime. */
function backUp(command: SnapshotCommand, output: string, progress: Progress): BackupContents {
  const { config, order, context } = command;
  const { disk } = context;
  const { files, elsewhere } = homeFiles(disk, config, order);
  for (let tries = 1; ; tries++) {
    const newest = newestOf(command);
    if (newest === undefined) throw new NotDone(`${config.home} names no snapshot any more.`);
    progress.say(() => `copying ${newest.records} records to ${output}`);
    const snapshot = join(snapshotDirectory(config.home), newest.file);
    try {
      return writeBackup(disk, output, {
        release: version,
        home: config.home,
        snapshot,
        files,
        elsewhere,
      });
    } catch (error) {
      const isGone = systemCodeOf(error) === 'ENOENT' && !disk.exists(snapshot);
      if (!isGone || tries === copyTriesMax) throw error;
    }
  }
}

/** How often a backup starts over as its snapshot was deleted meanwhile. @bound */
const copyTriesMax = 3;

function* remarks({ elsewhere }: BackupContents, { withKeys }: SnapshotOrder): Generator<string> {
  for (const { setting, path } of elsewhere) {
    yield `${path} (${setting}) is not in the backup: keep a copy of it apart.`;
  }
  yield withKeys
    ? 'The backup holds private keys: whoever reads it can pose as this controller.'
    : 'The backup holds no keys: a restore needs a copy of the folder pki as well.';
}

/** A sentence for errors that an operator can fix; undefined for all others. */
function failure(error: unknown): string | undefined {
  if (error instanceof NotDone || error instanceof RestoreRefused) return error.message;
  if (!(error instanceof Error) || error instanceof StartProblem) return undefined;
  const code = systemCodeOf(error);
  if (code === undefined) return undefined;
  const full = code === 'ENOSPC' ? ' The disk is full.' : '';
  return `The backup could not be written, nothing of it is left behind: ${error.message}.${full}`;
}
