// The three streams of a data set at NATS: making them, comparing them, and finding generations.

import { StartProblem } from '../../errors/errors.ts';
import { StreamUnreachable } from '../stream.ts';
import {
  asStreamConfig,
  type Configuration,
  differences,
  logConfiguration,
  logDifferences,
  membersConfiguration,
  type StreamSettings,
  snapshotsConfiguration,
} from './configuration.ts';
import { apiErrors, isApiError, reasonOf, unlessUnreachable } from './failure.ts';
import type { NatsLink } from './link.ts';
import { type DataSet, dataSetOfLog, logStream, logSubjects } from './names.ts';

/** A generation that was to be made is there already, at least in part. */
class GenerationTaken extends Error {
  override readonly name = 'GenerationTaken';
}

/** The streams of log, members and snapshots of one data set. */
export class NatsResources {
  readonly #link: NatsLink;
  readonly #dataSet: DataSet;
  readonly #settings: StreamSettings;
  readonly #configurations: readonly Configuration[];

  constructor(link: NatsLink, dataSet: DataSet, settings: StreamSettings) {
    this.#link = link;
    this.#dataSet = dataSet;
    this.#settings = settings;
    this.#configurations = [
      membersConfiguration(dataSet, settings),
      snapshotsConfiguration(dataSet, settings),
      // The last one: a data set of which there is a log has everything.
      logConfiguration(dataSet, settings),
    ];
  }

  /**
   * Makes the streams. Needs the credential for that, which nodes do not have.
   * @throws GenerationTaken if one of them is there
   * @throws StartProblem if NATS has too few servers
   * @throws StreamUnreachable if NATS does not answer or refuses; some may be there afterwards
   */
  async create(): Promise<void> {
    for (const { name } of this.#configurations) {
      if ((await this.#actual(name)) === undefined) continue;
      throw new GenerationTaken(`there is a stream ${name} already`);
    }
    for (const configuration of this.#configurations) {
      await this.#add(configuration);
    }
    for (const wanted of this.#configurations) await this.#checkMade(wanted);
  }

  /**
   * Compares the streams with what they have to be.
   * @returns one sentence per field that differs, and per stream that is missing
   * @throws StreamUnreachable
   */
  async compare(): Promise<readonly string[]> {
    const found: string[] = [];
    for (const wanted of this.#configurations) found.push(...(await this.#compareOne(wanted)));
    return found;
  }

  /** As `compare`, with a sentence for a stream whose leader does not answer. Never rejects. */
  async faults(): Promise<readonly string[]> {
    const found: string[] = [];
    for (const wanted of this.#configurations) {
      const asked = this.#compareOne(wanted);
      found.push(...(await unlessUnreachable(asked, `Stream ${wanted.name}`)));
    }
    return found;
  }

  async #compareOne(wanted: Configuration): Promise<readonly string[]> {
    const actual = await this.#actual(wanted.name);
    if (actual === undefined) return [`Stream ${wanted.name} is missing.`];
    const isLog = wanted.name === logStream(this.#dataSet);
    return isLog ? logDifferences(wanted, actual) : differences(wanted, actual);
  }

  /** A server may add fields of which we know nothing; those that we ask for have to be so. */
  async #checkMade(wanted: Configuration): Promise<void> {
    const actual = await this.#actual(wanted.name);
    const made = Object.entries(actual ?? {}).filter(([field]) => Object.hasOwn(wanted, field));
    const [difference] = differences(wanted, Object.fromEntries(made));
    if (difference !== undefined) throw new StreamUnreachable(difference);
  }

  /**
   * Seals the log: NATS refuses every message from then on, whoever sends it. That cannot be
   * undone. Needs the credential for that.
   * @throws StreamUnreachable
   */
  async seal(): Promise<void> {
    const name = logStream(this.#dataSet);
    const configuration = await this.#actual(name);
    if (configuration === undefined || configuration['sealed'] === true) return;
    const sealed = asStreamConfig({ ...configuration, name, sealed: true });
    await this.#link.ask(({ api }) => api.streams.update(name, sealed));
  }

  /**
   * Removes the streams; for a generation that a later one has replaced, or that was not completed.
   * Needs the credential for that.
   * @throws StreamUnreachable
   */
  async remove(): Promise<void> {
    // The log first: without it, the rest is no data set.
    for (const { name } of this.#configurations.toReversed()) {
      if ((await this.#actual(name)) === undefined) continue;
      await this.#link.ask(({ api }) => api.streams.delete(name));
    }
  }

  async #add(configuration: Configuration): Promise<void> {
    try {
      await this.#link.ask(({ api }) => api.streams.add(asStreamConfig(configuration)));
    } catch (thrown) {
      const { cause } = thrown instanceof StreamUnreachable ? thrown : {};
      if (!isApiError(cause, apiErrors.noPlace) && !isApiError(cause, apiErrors.notClustered)) {
        throw thrown;
      }
      const { replicas } = this.#settings;
      throw new StartProblem(
        `cluster.replicas is ${replicas}, and NATS has no place for so many copies (${reasonOf(cause)}): start ${replicas} NATS servers with JetStream that form one cluster and have room, or set cluster.replicas to 1 (no protection).`,
      );
    }
  }

  async #actual(name: string): Promise<Readonly<Record<string, unknown>> | undefined> {
    return await this.#link.ask(async ({ api }) => {
      try {
        return { ...(await api.streams.info(name)).config };
      } catch (thrown) {
        if (isApiError(thrown, apiErrors.streamNotFound)) return undefined;
        throw thrown;
      }
    });
  }
}

/**
 * The data sets and generations that have a log, the newest generations first.
 * @throws StreamUnreachable
 */
export async function dataSetsAt(link: NatsLink): Promise<readonly DataSet[]> {
  const streams = await link.ask(async ({ api }) => {
    const found: string[] = [];
    for await (const stream of api.streams.names(logSubjects)) found.push(stream);
    return found;
  });
  return streams
    .map(dataSetOfLog)
    .filter((dataSet) => dataSet !== undefined)
    .sort((a, b) => b.generation - a.generation);
}
