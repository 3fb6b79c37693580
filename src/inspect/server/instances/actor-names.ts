// Names of the identities that acted, if the home still knows them.

import { join } from 'node:path';
import { snapshotDirectory } from '../../../../snapshots/home/layout.ts';
import type { Manifest } from '../../../../snapshots/home/manifest.ts';
import type { Change, Frame, Lsn } from '../../../../snapshots/journal.ts';
import { readFrames } from '../../../../snapshots/log/read-frames.ts';
import { readSnapshot } from '../../../../snapshots/snapshot/snapshot-file.ts';
import type { Disk } from '../../../platform/ports.ts';
import type { ShownKind } from '../log/log-lines.ts';

/** The sources of names besides the frames that are shown. */
export interface NameSources {
  readonly disk: Disk;
  readonly home: string;
  /** Undefined if there is none to read. */
  readonly manifest: Manifest | undefined;
  /** The first frame that is shown. */
  readonly fromLsn: Lsn;
  /** The kind of identities; undefined if there are no names. */
  readonly identity: ShownKind | undefined;
}

/** Learns names from the frames that it is given. Earlier names are read on first use. */
export class ActorNames {
  readonly #sources: NameSources;
  readonly #names = new Map<string, string>();
  #hasLookedBack = false;

  constructor(sources: NameSources) {
    this.#sources = sources;
  }

  /** Takes the names of a frame's identities. Frames must be given in their order. */
  learn({ changes }: Pick<Frame, 'changes'>): void {
    for (const change of changes) this.#take(change);
  }

  /** The name of an identity, if the frames so far contain it. */
  learned(actor: string): string | undefined {
    return this.#names.get(actor);
  }

  /** The name of an identity; undefined if its record is not known. */
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
    const { name }: Readonly<Record<string, unknown>> = identity.codec.decode(id, version, values);
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
        if (entry.entry !== 'transaction') continue;
        if (entry.frame.lsn >= fromLsn) break;
        this.learn(entry.frame);
      }
    } catch {
      // Names are only an aid: damage is reported when the file is read for its own sake.
    }
    for (const [id, name] of newer) this.#names.set(id, name);
  }
}

const identityKind = 'identity';
/** Names that frames have in place of an identity. */
const partsOfController: ReadonlySet<string> = new Set(['controller', 'anonymous']);
/** Names of actors that the log reader keeps, some 10 MB. @bound per controller */
const actorNamesMax = 100_000;
