// The home that a cluster command works on, as the command sees it.

import type { Generation, LogPoint, Term } from '../../cluster/stream.ts';

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
  readonly node: HomeNode;
  readonly snapshot: SnapshotFile;
  /** Folder with the keys. */
  readonly pki: string;
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
   * The data set of the home, also while a process uses it. @throws StartProblem if there is none
   */
  dataSetId(): string;
  /**
   * Id of its node, also while a process uses it; undefined if it belongs to no cluster.
   * @throws StartProblem if it cannot be read
   */
  nodeId(): string | undefined;
  /**
   * Takes a snapshot of everything that the home holds.
   * @throws StartProblem if it cannot be opened
   */
  snapshot(): Promise<SnapshotFile>;
  /** A path beside the home for a file that the command needs for a while; nothing is there. */
  draft(): string;
  /** Whether files are in its folder `pki`. */
  hasKeys(): boolean;
  /** Keeps files in a folder beside the home for a while. @returns its path */
  keepKeys(files: ReadonlyMap<string, Buffer>): string;
  /** Removes what the last three have made. */
  discardDrafts(): void;
  /**
   * Makes a home with the records of the snapshot and an empty log after it, where there is none.
   * @throws StartProblem if the snapshot is damaged, or the disk refuses
   */
  place(order: HomeOrder): Promise<void>;
  /** Gives the home its place in a cluster; its log goes on. @throws StartProblem */
  enter(node: HomeNode): void;
  /** Lays the home aside. @returns where */
  layAside(): string;
  /**
   * The 64 hex digits in `pki/sealing.key`, of the home or in a folder of keys. @throws
   * StartProblem
   */
  sealingKey(pki?: string): string;
  /** Fingerprints of the keys of the home, or in a folder of keys. @throws StartProblem */
  keys(pki?: string): Readonly<Record<string, string>>;
}
