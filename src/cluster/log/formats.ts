// The formats of a cluster: the versions that its nodes write, so that the build of each of them
// can read what the others have written (behaviour/cluster#formats).

import { StartProblem } from '../../errors/errors.ts';
import type { Clock } from '../../platform/ports.ts';
import type { Formats, Member, Members } from '../membership.ts';
import { memberAwayMs } from '../node/watch.ts';
import { StreamUnreachable } from '../stream.ts';

/** The formats that a build reads and writes. */
export interface BuildFormats {
  /** The release, for messages. */
  readonly version: string;
  /** The newest versions that it reads. It also reads all before them. */
  readonly reads: Formats;
  /** The oldest versions that it can still write. */
  readonly writes: Formats;
}

/** The surroundings of the formats of a node. */
export interface ClusterFormatsOptions {
  /** Of this node. */
  readonly id: string;
  readonly build: BuildFormats;
  readonly members: Pick<Members, 'list' | 'formats' | 'beginFormats' | 'finalizeFormats'>;
  readonly clock: Pick<Clock, 'now'>;
}

/** The formats of the cluster, as a node of it knows them. */
export class ClusterFormats {
  readonly #options: ClusterFormatsOptions;
  #current: Formats = {};
  #write: (versions: Formats) => void = () => undefined;

  constructor(options: ClusterFormatsOptions) {
    this.#options = options;
  }

  /**
   * Finds out what has to be written, before the node reads or writes anything. Rejects with
   * StreamUnreachable.
   * @throws StartProblem if this build cannot take part
   */
  async open(): Promise<void> {
    const { build, members } = this.#options;
    const found = (await members.formats()) ?? (await this.#begin());
    const objection = formatsObjection(build, found);
    if (objection !== undefined) throw new StartProblem(objection);
    this.#current = found;
  }

  /** Hands out the versions that have to be written, now and whenever they change. */
  follow(write: (versions: Formats) => void): void {
    this.#write = write;
    write(this.#current);
  }

  /**
   * Looks whether an upgrade has become final. A node that hears of it late writes the former
   * versions for a while, which all nodes read.
   */
  async refresh(): Promise<void> {
    try {
      const found = await this.#options.members.formats();
      if (found !== undefined) this.#take(found);
    } catch (error) {
      if (!(error instanceof StreamUnreachable)) throw error;
    }
  }

  /**
   * Makes the newest formats of this build those of the cluster. Only the leader may do so. Rejects
   * with StreamUnreachable.
   * @returns why it must not be; undefined if it was done
   */
  async finalize(): Promise<string | undefined> {
    const { build, clock, id, members } = this.#options;
    const others = (await members.list()).filter((member) => member.id !== id);
    for (const member of others) {
      const objection = finalObjection(build, member, clock.now());
      if (objection !== undefined) return objection;
    }
    await members.finalizeFormats(build.reads);
    this.#take(build.reads);
    return undefined;
  }

  /** A cluster without formats is new, or was begun by a release that told of none. */
  async #begin(): Promise<Formats> {
    const { build, members } = this.#options;
    const told = (await members.list()).map(({ formats }) => formats);
    return await members.beginFormats(lowestFormats([build.reads, ...told]));
  }

  #take(formats: Formats): void {
    if (isEqual(formats, this.#current)) return;
    this.#current = formats;
    this.#write(formats);
  }
}

/** The newest versions that all of these read, without formats that one of them does not know. */
export function lowestFormats(all: readonly Formats[]): Formats {
  const names = new Set(all.flatMap((formats) => Object.keys(formats)));
  const lowest = [...names].map(
    (name) => [name, Math.min(...all.map((formats) => formats[name] ?? 0))] as const,
  );
  return Object.fromEntries(lowest.filter(([, version]) => version > 0));
}

/** Why a build cannot take part in a cluster with these formats, as a sentence. */
export function formatsObjection(build: BuildFormats, cluster: Formats): string | undefined {
  const unread = newerThan(cluster, build.reads);
  if (unread.length > 0) {
    const known = unread.map(([name, at]) => `${name} ${at} (it reads ${build.reads[name] ?? 0})`);
    return `This program (${build.version}) does not read what the cluster writes: ${known.join(', ')}. Its upgrade is final: install the release of the other nodes.`;
  }
  const unwritten = newerThan(build.writes, cluster).filter(
    ([name]) => cluster[name] !== undefined,
  );
  if (unwritten.length === 0) return undefined;
  const known = unwritten.map(
    ([name, at]) => `${name} ${cluster[name]} (it writes ${at} and later)`,
  );
  return `This program (${build.version}) cannot write what all nodes of the cluster read: ${known.join(', ')}. Install the release after theirs first, and end that upgrade with edge-control cluster finalize.`;
}

/** The formats of which `some` has a newer version than `others`, with that version. */
export function newerThan(some: Formats, others: Formats): readonly (readonly [string, number])[] {
  return Object.entries(some).filter(([name, version]) => version > (others[name] ?? 0));
}

/** Why the newest formats of a build cannot become final because of another node. */
function finalObjection(build: BuildFormats, member: Member, nowMs: number): string | undefined {
  const { id, formats, version, atMs } = member;
  const is = nowMs - atMs > memberAwayMs ? 'is away, and ran' : 'runs';
  const unread = newerThan(build.reads, formats).map(([name]) => name);
  if (unread.length > 0) {
    return `${id} ${is} ${version}, which does not read what ${build.version} writes (${unread.join(', ')}): upgrade it, or remove it with edge-control cluster leave --node ${id}.`;
  }
  const unknown = newerThan(formats, build.reads).map(([name]) => name);
  if (unknown.length === 0) return undefined;
  return `${id} ${is} ${version}, which reads newer formats than the ${build.version} of this node (${unknown.join(', ')}): upgrade this node first.`;
}

function isEqual(one: Formats, other: Formats): boolean {
  return newerThan(one, other).length === 0 && newerThan(other, one).length === 0;
}
