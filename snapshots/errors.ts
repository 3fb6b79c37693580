// The errors of durability; callers tell them apart by class, operators read the message.

/**
 * The journal cannot take a frame now: the log cannot be written, or too much is waiting. Nothing
 * was appended.
 */
export class JournalStalled extends Error {
  override readonly name = 'JournalStalled';
}

/**
 * The log failed for good (an fdatasync error). Nothing can be promised any more, and the process
 * must end.
 */
export class JournalFailed extends Error {
  override readonly name = 'JournalFailed';
}

/** One frame packs to more bytes than `frameBytesMax`. Nothing was appended. */
export class FrameTooLarge extends Error {
  override readonly name = 'FrameTooLarge';
  readonly payloadBytes: number;
  readonly frameBytesMax: number;

  constructor(payloadBytes: number, frameBytesMax: number) {
    super(`a frame of ${payloadBytes} bytes is over the limit of ${frameBytesMax} bytes`);
    this.payloadBytes = payloadBytes;
    this.frameBytesMax = frameBytesMax;
  }
}

/** Another live process holds the home. */
export class HomeLocked extends Error {
  override readonly name = 'HomeLocked';
  readonly pid: number;

  constructor(home: string, pid: number) {
    super(`${home} is in use by process ${pid}: stop that one first, or choose another home`);
    this.pid = pid;
  }
}

/** Where damage was found; offset in bytes from the start of the file. */
export interface DamagePlace {
  readonly file: string;
  readonly offset: number;
  /** The first LSN that cannot be read. */
  readonly lsn: number;
}

/**
 * Damage other than a torn tail: the start is refused, the operator decides (`--recover-to LSN`).
 */
export class LogCorrupt extends Error {
  override readonly name = 'LogCorrupt';
  readonly file: string;
  readonly offset: number;
  readonly lsn: number;
  readonly reason: string;

  constructor(place: DamagePlace, reason: string) {
    super(
      `${place.file} is damaged at offset ${place.offset}, LSN ${place.lsn}: ${reason}. ` +
        'Nothing was changed. Restore a backup, or start with --recover-to LSN to keep ' +
        `everything up to that LSN and give up the rest (at most ${place.lsn - 1} can be had).`,
    );
    this.file = place.file;
    this.offset = place.offset;
    this.lsn = place.lsn;
    this.reason = reason;
  }
}

/** `--recover-to` names an LSN that cannot be reached. */
export class RecoverToUnreachable extends Error {
  override readonly name = 'RecoverToUnreachable';
}

/** A refused restore or backup; the message is a sentence, and nothing was changed. */
export class RestoreRefused extends Error {
  override readonly name = 'RestoreRefused';
}

/** A home of a cluster was opened without one, or the other way round. Nothing was changed. */
export class OtherMembership extends Error {
  override readonly name = 'OtherMembership';
}

/** A file was written in a newer format than this program reads. */
export class NewerFormat extends Error {
  override readonly name = 'NewerFormat';

  constructor(file: string, what: string, found: number, known: number) {
    super(`${file} has ${what} ${found}; this program reads up to ${known}: use a newer release`);
  }
}

/**
 * An fdatasync or a directory sync failed; what was written before it may be lost. Never retried.
 */
export class SyncFailed extends Error {
  override readonly name = 'SyncFailed';
}

/** The text of any thrown value, for reasons shown to the operator. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The code of an error of the operating system, such as `ENOENT`; undefined for anything else. */
export function systemCodeOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}
