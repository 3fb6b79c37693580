// Reads, converts and proves a network of the peer. Nothing is written here: `home/built-home.ts`
// writes what results.

import { dirname } from 'node:path';
import { newSealingKey, type Sealing } from '../auth/sealing/sealing.ts';
import { reasonOf } from '../pki/authority/files.ts';
import type { Clock, Random } from '../platform/ports.ts';
import { readTextFile } from '../platform/text-file.ts';
import { type Config, loadConfig } from '../settings/config.ts';
import { formatHostPort } from '../settings/setting-type.ts';
import { type BoltFile, openBolt } from './bolt/bolt-file.ts';
import { nodesOf } from './cluster-nodes.ts';
import { controllerFileBounds } from './configuration/controller-file.ts';
import { convertedRecords } from './convert/network.ts';
import { NewRecords } from './home/new-records.ts';
import { type HomeFiles, homeFiles } from './keys/home-files.ts';
import { type MigrationReport, migrationReport, type ReportedSource } from './migration-report.ts';
import type { PeerNetwork } from './peer/entity.ts';
import { readNetwork } from './peer/network.ts';
import type { AccessProof } from './proof/access-proof.ts';
import { openedKeys } from './proof/opened-keys.ts';
import { type Proof, prove } from './proof/proof.ts';
import { releaseOf } from './release.ts';
import type { LeaveOut, StopReport } from './report.ts';
import { ReportBook } from './report-book.ts';
import { openSourceFile, type SourceFile } from './source-file.ts';
import { SourceInUse } from './source-lock.ts';
import { SourceDamaged, SourceRefused } from './source-problem.ts';

/** What is migrated, and how. */
export interface MigrationOrder {
  readonly source: SourceFile;
  /** Absolute path of the peer's `ctrl.yaml`. */
  readonly configuration: string;
  /** Absolute path of the home that is made. */
  readonly home: string;
  readonly isCheck: boolean;
  readonly leaveOut: ReadonlySet<LeaveOut>;
  /** Undefined: kept, unless the peer has been stopped for long. */
  readonly sessions: 'keep' | 'drop' | undefined;
  /** For `${NAME}` in the configuration. */
  readonly variables: Readonly<Record<string, string | undefined>>;
  readonly listener: string | undefined;
  /**
   * Commands for the operator to type afterwards, given what came up and the path of the database
   * that the configuration names.
   */
  readonly next: (stops: readonly StopReport[], database: string | undefined) => readonly string[];
}

/** What a migration works with. */
export interface MigrationTools {
  readonly clock: Clock;
  readonly random: Random;
  /** Shows the progress. */
  readonly doing: (text: () => string) => void;
}

/** A network that is ready to be written. */
export interface Migration {
  readonly report: MigrationReport;
  /** Whether something came up that the operator has not agreed to leave out. */
  readonly isStopped: boolean;
  /** How many entities hold content that cannot be read. */
  readonly damagedCount: number;
  readonly records: NewRecords;
  /** Texts by their paths below the home, the report not yet among them. */
  readonly files: ReadonlyMap<string, string>;
  /** As the controller of the home will have it. */
  readonly config: Config;
}

/**
 * Reads, converts and proves a network.
 * @throws SourceDamaged for a database that cannot be read; SourceRefused and StartProblem for
 *   files that do not do
 */
export async function migrate(order: MigrationOrder, tools: MigrationTools): Promise<Migration> {
  const { source, leaveOut, isCheck, home, configuration, next } = order;
  const { clock, random, doing } = tools;
  const book = new ReportBook(leaveOut);
  const taken = filesOf(order, tools, book);
  const config = configOf(home, taken.files);
  const bolt = openBolt(source.file);
  doing(() => `verifying ${source.path}`);
  bolt.check();
  const network = readNetwork(bolt.root);
  const sessions: ConversionParts['sessions'] = order.sessions ?? 'by-age';
  const sealingKey = newSealingKey(random);
  const { fileName, text, sealing } = sealingKey;
  const files = new Map(taken.files).set(`pki/${fileName}`, text);
  const records = new NewRecords(clock);
  const parts = { network, book, taken, config, sealing, sessions };
  convert(records, parts, tools);
  const proof = await proveAll({ network, records, sealing, config, files }, tools);
  stopForDifferences(proof.access, book);
  doing(() => `computing the checksum of ${source.path}`);
  const sha256 = source.sha256();
  requireUnchanged(source, bolt);
  const { json: conversion, isStopped, damagedCount } = book;
  const report = migrationReport({
    nowMs: clock.now(),
    conversion,
    isCheck,
    home,
    address: formatHostPort(config.advertise),
    source: sourceFacts({ source, configuration, network, sha256 }),
    records: records.count,
    configuration: {
      notices: [
        source.notice ?? [],
        runningNotice(taken.database, source) ?? [],
        taken.notices,
      ].flat(2),
      leftOver: taken.placeless,
    },
    nodes: nodesOf(network),
    proof,
    next: next(conversion.stops, taken.database),
  });
  return { report, isStopped, damagedCount, records, files, config };
}

/** A sentence if the source is a snapshot, and the controller that made it is running. */
function runningNotice(database: string | undefined, { path }: SourceFile): string | undefined {
  if (database === undefined) return undefined;
  try {
    openSourceFile(database).close();
    return undefined;
  } catch (error) {
    if (!(error instanceof SourceInUse)) return undefined;
    return `The controller is running on ${error.path}: what it changes from now on is not in ${path}, and it has to be stopped before the new one starts.`;
  }
}

function filesOf(
  { configuration, home, listener, variables }: MigrationOrder,
  { clock, doing }: MigrationTools,
  book: ReportBook,
): HomeFiles {
  doing(() => `reading ${configuration} and the keys that it names`);
  let text: string;
  try {
    text = readTextFile(configuration, controllerFileBounds);
  } catch (error) {
    throw new SourceRefused(`${configuration} cannot be read: ${reasonOf(error)}.`);
  }
  return homeFiles({
    text,
    name: configuration,
    directory: dirname(configuration),
    variables,
    home,
    listener,
    readFile: readTextFile,
    nowMs: clock.now(),
    stop: (stop) => book.stop(stop),
  });
}

/** The file alone counts: what the environment of the controller will be is not known here. */
function configOf(home: string, files: ReadonlyMap<string, string>): Config {
  return loadConfig({
    flags: { home },
    environment: {},
    readFile: (path) => files.get(path.slice(home.length + 1)) ?? '',
    directory: home,
    cores: 1,
  });
}

interface ConversionParts {
  readonly network: PeerNetwork;
  readonly book: ReportBook;
  readonly taken: HomeFiles;
  readonly config: Config;
  readonly sealing: Sealing;
  readonly sessions: 'keep' | 'drop' | 'by-age';
}

function convert(
  records: NewRecords,
  { network, book, taken, config, sealing, sessions }: ConversionParts,
  { clock, doing }: MigrationTools,
): void {
  const converted = convertedRecords({
    network,
    report: book,
    sealer: sealing,
    nowMs: clock.now(),
    sessions,
    sessionTimeoutMs: config.session.timeoutMinutes * 60_000,
    authorities: taken.authorities,
  });
  for (const record of converted) {
    records.add(record);
    doing(() => `${records.count} records are converted`);
  }
}

interface ProofParts {
  readonly network: PeerNetwork;
  readonly records: NewRecords;
  readonly sealing: Sealing;
  readonly config: Config;
  readonly files: ReadonlyMap<string, string>;
}

async function proveAll(
  { network, records: { store }, sealing, config, files }: ProofParts,
  { clock, random, doing }: MigrationTools,
): Promise<Proof> {
  const authority = await openedKeys({ config, files, clock, random });
  return await prove({ network, store, sealing, authority, clock, doing });
}

function stopForDifferences({ differences }: AccessProof, book: ReportBook): void {
  const count = differences.shown.length + differences.furtherCount;
  if (count === 0) return;
  const what = 'access-difference';
  const pairs = count === 1 ? 'One pair is' : `${count} pairs are`;
  const text = `${pairs} linked on one side only: the access that the new home computes is not what the database says.`;
  book.stop({ what, text });
}

function requireUnchanged(source: SourceFile, bolt: BoltFile): void {
  source.requireUnchanged();
  if (bolt.isUnchanged()) return;
  throw new SourceDamaged(`${source.path} was changed while it was read: stop its controller.`);
}

interface SourceFacts {
  readonly source: SourceFile;
  readonly configuration: string;
  readonly network: PeerNetwork;
  readonly sha256: string;
}

function sourceFacts({
  source: { path, bytes },
  configuration,
  network: { schema },
  sha256,
}: SourceFacts): Omit<ReportedSource, 'stoppedAt'> {
  return {
    database: path,
    configuration,
    release: releaseOf(schema),
    schema,
    bytes,
    sha256,
  };
}
