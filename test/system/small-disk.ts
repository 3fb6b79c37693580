// A file system of a few MiB, real and of its own: mounted in a name space that ends with the shell
// in it, and that shell with its input. Nothing is left to unmount, whatever becomes of a test.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  mkdtempSync,
  rmSync,
  statfsSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import type { Test } from 'tap';
import { Lacking } from './endings.ts';
import { cheapHashes, roomOf } from './process.ts';

/** What a small disk may be: memory, or a file with a real file system in it. */
export type FileSystem = 'tmpfs' | 'ext4';

/** A small disk. */
export class SmallDisk {
  /** Its root, for this process and those it starts. */
  readonly path: string;
  readonly #inside: string;
  readonly #shell: Shell;
  #isFrozen = false;

  private constructor(shell: Shell, inside: string) {
    this.#shell = shell;
    this.#inside = inside;
    this.path = `/proc/${shell.pid}/root${inside}`;
  }

  /**
   * Mounts one that lasts as long as `t`. @returns why that cannot be done on this machine, in
   * words, where it cannot
   */
  static async mount(t: Test, kind: FileSystem, mebibytes: number): Promise<SmallDisk | string> {
    return await SmallDisk.#mountIn(t, roomOf(t), kind, mebibytes);
  }

  static async #mountIn(
    t: Pick<Test, 'teardown'>,
    directory: string,
    kind: FileSystem,
    mebibytes: number,
  ): Promise<SmallDisk | string> {
    const inside = mkdtempSync(join(directory, 'disk-'));
    const shell = new Shell(t);
    const image = `${inside}.img`;
    if (kind === 'ext4') {
      writeFileSync(image, '');
      truncateSync(image, mebibytes * mebibyte);
    }
    const mount =
      kind === 'tmpfs'
        ? `mount -t tmpfs -o size=${mebibytes}m,mode=0700 edge "${inside}"`
        : `mkfs.ext4 -q -m 0 "${image}" && ${mountImage(inside)}`;
    const complaint = await shell.run(mount);
    return complaint === undefined ? new SmallDisk(shell, inside) : complaint;
  }

  /**
   * As `mount`, on a place below `directory`, which goes with `endings`, too. @throws Lacking where
   * that cannot be done
   */
  static async mountFor(
    endings: Pick<Test, 'teardown'>,
    directory: string,
    kind: FileSystem,
    mebibytes: number,
  ): Promise<SmallDisk> {
    const disk = await SmallDisk.#mountIn(endings, directory, kind, mebibytes);
    if (typeof disk !== 'string') return disk;
    throw new Lacking(`no file system of our own can be mounted here: ${disk}`);
  }

  /** An empty home on it, with a configuration. @returns its path */
  makeHome(config: object): string {
    const home = mkdtempSync(join(this.path, 'home-'));
    const text = JSON.stringify({ argon2: cheapHashes, tlsWorkers: 1, ...config });
    writeFileSync(join(home, 'config.json'), text, { mode: 0o600, flush: true });
    return home;
  }

  /** Bytes that can still be written. */
  get freeBytes(): number {
    const { bavail, bsize } = statfsSync(this.path);
    return bavail * bsize;
  }

  /** Fills it with a file, up to so many bytes. */
  fill(bytesLeft = 0): void {
    for (const piece of [mebibyte, 65_536, 4096]) {
      while (this.freeBytes >= bytesLeft + piece && this.#grow(piece));
    }
  }

  /** Takes that file away. */
  free(): void {
    rmSync(join(this.path, 'filler'));
  }

  /** From now on nothing on it can be changed; `path` below it stands for a part. */
  async makeReadOnly(path = ''): Promise<void> {
    const inside = this.#inside + path.slice(this.path.length);
    if (path !== '') await this.#shell.must(`mount --bind "${inside}" "${inside}"`);
    const bind = path === '' ? '' : 'bind,';
    await this.#shell.must(`mount -o remount,${bind}ro "${inside}"`);
  }

  /** Takes `makeReadOnly` back. */
  async makeWritable(path = ''): Promise<void> {
    const inside = this.#inside + path.slice(this.path.length);
    await this.#shell.must(path === '' ? `mount -o remount,rw "${inside}"` : `umount "${inside}"`);
  }

  /**
   * An `ext4` stalls: whoever writes to it hangs until `thaw`, or until its shell ends. Nothing is
   * reported, as with a disk that does not answer any more.
   */
  async freeze(): Promise<void> {
    await this.#shell.must(`fsfreeze --freeze "${this.#inside}"`, `fsfreeze -u "${this.#inside}"`);
    this.#isFrozen = true;
  }

  /** Takes `freeze` back, if there is one. */
  async thaw(): Promise<void> {
    if (!this.#isFrozen) return;
    this.#isFrozen = false;
    await this.#shell.must(`fsfreeze --unfreeze "${this.#inside}"`, ':');
  }

  /** An `ext4` finds an error in itself: as many are set up, nothing is written any more. */
  async breakDown(): Promise<void> {
    const device = `$(basename $(findmnt -no SOURCE "${this.#inside}"))`;
    await this.#shell.must(`echo 1 > /sys/fs/ext4/${device}/trigger_fs_error`);
  }

  /** What an operator does then. Nobody may use it meanwhile. */
  async repair(): Promise<void> {
    const image = `${this.#inside}.img`;
    // e2fsck says 1 when it has repaired something.
    const check = `{ e2fsck -fp "${image}" || [ $? -eq 1 ]; }`;
    await this.#shell.must(`umount "${this.#inside}" && ${check} && ${mountImage(this.#inside)}`);
  }

  #grow(bytes: number): boolean {
    try {
      appendFileSync(join(this.path, 'filler'), Buffer.alloc(bytes));
      return true;
    } catch {
      return false;
    }
  }
}

function mountImage(inside: string): string {
  return `mount -o loop,errors=remount-ro "${inside}.img" "${inside}"`;
}

/** A shell in a mount name space of its own. */
class Shell {
  readonly #child;
  #output = '';

  constructor(t: Pick<Test, 'teardown'>) {
    const asRoot = process.getuid?.() === 0;
    const flags = [...(asRoot ? [] : ['--user', '--map-root-user']), '--mount'];
    this.#child = spawn('unshare', [...flags, '--propagation', 'private', 'sh'], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    this.#child.stdout.setEncoding('utf8').on('data', (text: string) => {
      this.#output += text;
    });
    // A machine without `unshare`, or a shell that has ended.
    this.#child.on('error', () => undefined);
    this.#child.stdin.on('error', () => undefined);
    const ended = once(this.#child, 'close').catch(() => undefined);
    t.teardown(async () => {
      this.#child.stdin.end();
      await ended;
    });
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /**
   * @param atEnd what the shell does when it ends, from this command on
   * @returns what a command complained of; undefined when it succeeded
   */
  async run(command: string, atEnd?: string): Promise<string | undefined> {
    this.#output = '';
    const gone = once(this.#child, 'close').catch(() => undefined);
    const trap = atEnd === undefined ? '' : `trap '${atEnd}' EXIT; `;
    this.#child.stdin.write(`${trap}(${command}) 2>&1; echo "status $?."\n`);
    while (!/status \d+\.\n$/.test(this.#output)) {
      const ended = await Promise.race([once(this.#child.stdout, 'data'), gone.then(() => 'gone')]);
      if (ended === 'gone') return 'no name space of mounts can be had';
    }
    return this.#output.endsWith('status 0.\n') ? undefined : this.#output.trim();
  }

  async must(command: string, atEnd?: string): Promise<void> {
    const complaint = await this.run(command, atEnd);
    if (complaint !== undefined) throw new Error(complaint);
  }
}

const mebibyte = 1024 * 1024;
