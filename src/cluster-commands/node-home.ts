// The home that a cluster command works on, as the command sees it.

import type { Generation, LogPoint, Term } from '../cluster/contract.ts';

/** A home that is there, and that no process uses. */
export interface HomeFacts {
  /** 32 hex digits. */
  readonly dataSetId: string;
  /** Its place in a cluster; undefined for a home that stands alone. */
  readonly node: HomeNode | undefined;
  /** The end of its log. */
  readonly last: LogPoint;
}

/** The place of a home in a cluster. */
export interface HomeNode {
  readonly id: string;
  readonly generation: Generation;
  /** The newest term in its log. */
  readonly term: Term;
}

/** A snapshot in a file. */
export interface SnapshotFile extends LogPoint {
  readonly path: string;
}

/** A home that a snapshot becomes. */
export interface HomeOrder {
  readonly dataSetId: string;
  readonly node: HomeNode;
  readonly snapshot: SnapshotFile;
  /** Folder with the keys; undefined for those of the home that was there. */
  readonly pki: string | undefined;
}

/** The home of this node. */
export interface NodeHome {
  readonly path: string;
  /**
   * Undefined if no home is there; other files may be.
   * @throws StartProblem if a process uses it, or it cannot be read
   */
  facts(): HomeFacts | undefined;
  /**
   * Takes a snapshot of everything that the home holds.
   * @throws StartProblem if it cannot be opened
   */
  snapshot(): Promise<SnapshotFile>;
  /**
   * A place beside the home for a file that the command needs for a while; the file is removed
   * first if it is there.
   */
  draft(name: string): string;
  /** Removes such a file if it is there. */
  discard(path: string): void;
  /**
   * Makes a home with the records of the snapshot and an empty log after it. What was there before
   * is laid aside; its configuration stays.
   * @returns where it was laid aside, if anything was there
   */
  place(order: HomeOrder): string | undefined;
  /** Lays the home aside. @returns where */
  layAside(): string;
  /** Content of `pki/sealing.key`, in the home or in a folder of keys. @throws StartProblem */
  sealingKey(pki?: string): string;
  /** Fingerprints of the keys of the home, or in a folder of keys. @throws StartProblem */
  keys(pki?: string): Readonly<Record<string, string>>;
}
