// Names of the identities that did something, as far as the home still knows them.

import { join } from 'node:path';
import type { Change, Frame, Lsn } from '../../snapshots/journal.ts';
import { snapshotDirectory } from '../../snapshots/layout.ts';
import type { Manifest } from '../../snapshots/manifest.ts';
import { readFrames } from '../../snapshots/read-frames.ts';
import { readSnapshot } from '../../snapshots/snapshot-file.ts';
import type { Disk } from '../ports.ts';
import type { ShownKind } from './log-lines.ts';

/** Where names come from beside the frames that are shown. */
export interface NameSources {
  readonly disk: Disk;
  readonly home: string;
  /** Undefined where it does not read. */
  readonly manifest: Manifest | undefined;
  /** The first frame that is shown. */
  readonly fromLsn: Lsn;
  /** The kind of identities; undefined where nobody has names. */
  readonly identity: ShownKind | undefined;
}

/** Learns names from frames as they come; what came before is read once it is asked for. */
export class ActorNames {
  readonly #sources: NameSources;
  readonly #names = new Map<string, string>();
  #hasLookedBack = false;

  constructor(sources: NameSources) {
    this.#sources = sources;
  }

  /** Takes the names of a frame's identities. To be told of frames in their order. */
  learn({ changes }: Pick<Frame, 'changes'>): void {
    for (const change of changes) this.#take(change);
  }

  /** The name of an identity as far as the frames so far told it. */
  learned(actor: string): string | undefined {
    return this.#names.get(actor);
  }

  /** The name of an identity; undefined where its record is not known. */
  of(actor: string): string | undefined {
    const known = this.#names.get(actor);
    if (known !== undefined || partsOfController.has(actor) || this.#hasLookedBack) return known;
    this.#hasLookedBack = true;
    this.#lookBack();
    return this.#names.get(actor);
  }

  #take({ kind, id, version, values }: Pick<Change, 'kind' | 'id' | 'version' | 'values'>): void {
    const { identity } = this.#sources;
    if (kind !== identityKind || values === null || identity === undefined) return;
    const { name } = identity.codec.decode(id, version, values) as { name?: unknown };
    if (typeof name !== 'string') return;
    if (this.#names.size >= actorNamesMax && !this.#names.has(id)) return;
    this.#names.set(id, name);
  }

  /** Reads the newest snapshot before the first frame, or the oldest, and the frames between. */
  #lookBack(): void {
    const { disk, home, manifest, fromLsn } = this.#sources;
    const newer = new Map(this.#names);
    const snapshots = manifest?.snapshots ?? [];
    const snapshot = snapshots.find(({ lsn }) => lsn < fromLsn) ?? snapshots.at(-1);
    try {
      if (snapshot !== undefined) {
        const path = join(snapshotDirectory(home), snapshot.file);
        readSnapshot(disk, path, (record) => this.#take(record));
      }
      const before = (snapshot?.lsn ?? 0) + 1;
      for (const entry of before < fromLsn ? readFrames(disk, home, before) : []) {
        if (entry.entry === 'seal') continue;
        if (entry.frame.lsn >= fromLsn) break;
        this.learn(entry.frame);
      }
    } catch {
      // Names are an aid: what is damaged is told where it is read for its own sake.
    }
    for (const [id, name] of newer) this.#names.set(id, name);
  }
}

const identityKind = 'identity';
/** Names that frames give instead of an identity. */
const partsOfController: ReadonlySet<string> = new Set(['controller', 'anonymous']);
/** Names of actors that the log reader keeps, some 10 MB. @bound per controller */
const actorNamesMax = 100_000;
