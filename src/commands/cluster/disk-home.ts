// The home of a node on its disk, as cluster commands read and change it while no process uses it.

import { dirname, join } from 'node:path';
import {
  HomeLocked,
  LogCorrupt,
  NewerFormat,
  reasonOf,
  systemCodeOf,
} from '../../../snapshots/errors.ts';
import { withFile } from '../../../snapshots/home/file-access.ts';
import { copyFile } from '../../../snapshots/home/file-copy.ts';
import { pkiName } from '../../../snapshots/home/layout.ts';
import { refuseIfInUse } from '../../../snapshots/home/lock.ts';
import { type Manifest, readManifest } from '../../../snapshots/home/manifest.ts';
import { readMembership, writeMembership } from '../../../snapshots/home/membership.ts';
import { type RecoveredHome, recoverHome } from '../../../snapshots/home/recovery.ts';
import { interruptedManifest, replaceHome } from '../../../snapshots/home/replaced-home.ts';
import { snapshotStoppedHome } from '../../../snapshots/home/stopped-home.ts';
import { SnapshotDamaged } from '../../../snapshots/snapshot/snapshot-file.ts';
import { unfinishedHome } from '../../cluster/node/home-recovery.ts';
import { StartProblem } from '../../errors/errors.ts';
import { readText } from '../../pki/authority/files.ts';
import { isSharedFile, type SharedKeys, sharedKeysOf } from '../../pki/shared-keys.ts';
import type { Clock, TreeDisk } from '../../platform/ports.ts';
import type { Config } from '../../settings/config.ts';
import { manifestOf } from '../offline/refusal.ts';
import type { HomeFacts, HomeNode, HomeOrder, NodeHome, SnapshotFile } from './node-home.ts';

/** What the home needs of its surroundings. */
export interface DiskHomeOptions {
  readonly disk: TreeDisk;
  readonly clock: Pick<Clock, 'now'>;
  readonly config: Pick<Config, 'home' | 'pki' | 'limits'>;
}

/** A home on a disk. */
export class DiskHome implements NodeHome {
  readonly path: string;
  readonly #options: DiskHomeOptions;

  constructor(options: DiskHomeOptions) {
    this.#options = options;
    this.path = options.config.home;
  }

  facts(): HomeFacts | undefined {
    return this.#orRefusal(() => {
      const { disk } = this.#options;
      if (!disk.exists(this.path)) return undefined;
      refuseIfInUse(disk, this.path);
      const manifest = readManifest(disk, this.path);
      const membership = readMembership(disk, this.path);
      if (manifest === undefined) {
        if (membership === undefined) return undefined;
        throw new StartProblem(
          interruptedManifest(disk, this.path) === undefined
            ? unfinishedHome(this.path)
            : `${this.path} is not complete: start its controller, which loads a snapshot of the others.`,
        );
      }
      const { position, term } = this.#recovered(manifest).log;
      const { lsn, crc } = position;
      const { nodeId: id, generation } = membership ?? { nodeId: '', generation: 0 };
      const node = membership === undefined ? undefined : { id, generation, term };
      return { dataSetId: manifest.dataSetId, node, last: { lsn, crc } };
    });
  }

  dataSetId(): string {
    return manifestOf(this.#options.disk, this.path).dataSetId;
  }

  nodeId(): string | undefined {
    return this.#orRefusal(() => readMembership(this.#options.disk, this.path)?.nodeId);
  }

  async snapshot(): Promise<SnapshotFile> {
    return this.#orRefusal(() => {
      const { disk, clock } = this.#options;
      const manifest = manifestOf(disk, this.path);
      const target = this.#beside('made');
      return snapshotStoppedHome(disk, { home: this.path, manifest, target, nowMs: clock.now() });
    });
  }

  draft(): string {
    const path = this.#beside('downloaded');
    if (this.#options.disk.exists(path)) this.#options.disk.remove(path);
    return path;
  }

  hasKeys(): boolean {
    return this.#options.disk.list(join(this.path, pkiName)).length > 0;
  }

  keepKeys(files: ReadonlyMap<string, Buffer>): string {
    return this.#orRefusal(() => {
      const { disk } = this.#options;
      const folder = this.#beside('keys');
      disk.removeTree(folder);
      disk.makeDirectory(folder);
      for (const [name, bytes] of files) {
        withFile(disk, join(folder, name), 'create', (file) => file.write([bytes], 0));
      }
      return folder;
    });
  }

  discardDrafts(): void {
    const { disk } = this.#options;
    disk.removeTree(this.#beside('made'));
    disk.removeTree(this.#beside('keys'));
    const file = this.#beside('downloaded');
    if (disk.exists(file)) disk.remove(file);
  }

  async place({ node, snapshot, pki }: HomeOrder): Promise<void> {
    const { disk, config } = this.#options;
    const { lsn, crc, path: file } = snapshot;
    const { segmentBytes } = config.limits;
    try {
      disk.makeDirectory(this.path);
      this.#copyKeys(pki);
      // Without this file, a copy of the cluster's data could start alone. A home with it and
      // without data is refused until it is joined again.
      this.#writeMembership(node);
      const download = async (path: string) => void copyFile(disk, file, path);
      const replacement = { home: this.path, lsn, crc, term: node.term, segmentBytes, download };
      await replaceHome(disk, replacement);
    } catch (error) {
      throw asProblem(error, this.path);
    }
  }

  enter(node: HomeNode): void {
    this.#orRefusal(() => this.#writeMembership(node));
  }

  layAside(): string {
    return this.#orRefusal(() => {
      const { disk, clock } = this.#options;
      refuseIfInUse(disk, this.path);
      const stamp = new Date(clock.now()).toISOString().replaceAll(/[-:.]/g, '');
      const aside = `${this.path}.left-${stamp}`;
      disk.syncDirectory(this.path);
      disk.rename(this.path, aside);
      disk.syncDirectory(dirname(this.path));
      return aside;
    });
  }

  sealingKey(pki?: string): string {
    const folder = pki ?? join(this.path, pkiName);
    return readText(this.#options.disk, join(folder, 'sealing.key'), 'sealing.key').trim();
  }

  keys(pki?: string): SharedKeys {
    const { disk, config } = this.#options;
    const { serverKey, issuerKey } = config.pki;
    return sharedKeysOf({ disk, folder: pki ?? join(this.path, pkiName), serverKey, issuerKey });
  }

  #recovered(manifest: Manifest): RecoveredHome {
    return recoverHome(this.#options.disk, this.path, manifest, undefined);
  }

  #writeMembership({ id: nodeId, generation }: HomeNode): void {
    writeMembership(this.#options.disk, this.path, { nodeId, generation });
  }

  #copyKeys(from: string): void {
    const { disk } = this.#options;
    const to = join(this.path, pkiName);
    if (from === to) return;
    if (disk.exists(to) && disk.list(to).length > 0) {
      throw new StartProblem(`${to} is not empty: remove it, or leave --pki out.`);
    }
    disk.makeDirectory(to);
    for (const name of disk.list(from)) {
      if (isSharedFile(name)) copyFile(disk, join(from, name), join(to, name));
    }
    disk.syncDirectory(to);
    disk.syncDirectory(this.path);
  }

  /** On the same file system as the home. */
  #beside(name: string): string {
    return `${this.path}.cluster-${name}`;
  }

  #orRefusal<T>(read: () => T): T {
    try {
      return read();
    } catch (error) {
      throw asProblem(error, this.path);
    }
  }
}

/** The refusal as one sentence. Other errors are returned unchanged. */
function asProblem(error: unknown, home: string): unknown {
  if (error instanceof StartProblem) return error;
  const isKnown = [HomeLocked, LogCorrupt, NewerFormat].some((type) => error instanceof type);
  if (isKnown) return new StartProblem(reasonOf(error));
  if (error instanceof SnapshotDamaged) {
    return new StartProblem(`The snapshot is damaged: ${error.message}.`);
  }
  if (systemCodeOf(error) === undefined) return error;
  return new StartProblem(`The home ${home} cannot be used: ${reasonOf(error)}.`);
}
