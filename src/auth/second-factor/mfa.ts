// The secrets of MFA: created and sealed for an enrollment, opened and compared with codes
// (behaviour/mfa).

import { timingSafeEqual } from 'node:crypto';
import type { GuessBounds } from '../../../machines/mfa-enrollment.ts';
import { RecentCache } from '../../containers/recent-cache.ts';
import type { Clock, Random } from '../../platform/ports.ts';
import type { MfaEnrollmentRecord } from '../../records/mfa-enrollment.ts';
import { type BoundValues, boundsOf } from '../../settings/bounds.ts';
import type { Row, SealedPlace } from '../../store/record.ts';
import type { Fits } from '../sealing/sealed-texts.ts';
import type { Sealing } from '../sealing/sealing.ts';
import { qrCodePng } from './qr-code.ts';
import {
  base32,
  provisioningUrl,
  totpSecretBytes,
  totpSecretBytesMax,
  totpSecretBytesMin,
  totpStepOf,
  totpStepSeconds,
} from './totp.ts';

/** The sealed values of an enrollment. */
export type SealedFactors = Pick<MfaEnrollmentRecord, 'secret' | 'recoveryCodes'>;

/** The code that matched. */
export type MatchedCode =
  | { readonly by: 'totp'; readonly timeStep: number }
  /** `left`: the codes without the given one. */
  | { readonly by: 'recoveryCode'; readonly left: readonly string[] };

type EnrollmentRow = Row<MfaEnrollmentRecord>;

/** Second factors as operations use them. Opened secrets leave it only through its answers. */
export interface Mfa {
  /** Bounds guessing. */
  readonly guessBounds: GuessBounds;
  /** Whether codes of the enrollment are refused for now, right or wrong. */
  isBarred(row: EnrollmentRow, nowMs: number): boolean;
  /** A new secret and new recovery codes for the enrollment that will have this id. */
  issue(enrollmentId: string): SealedFactors;
  /** New recovery codes that replace all present ones. */
  issueRecoveryCodes(enrollmentId: string): string;
  /** The sealed text of recovery codes, as the enrollment stores it. */
  sealRecoveryCodes(enrollmentId: string, codes: readonly string[]): string;
  /** @param name the identity's */
  provisioningUrl(row: EnrollmentRow, name: string): string;
  /** A picture of the provisioning URL, PNG. @param name the identity's */
  qrCode(row: EnrollmentRow, name: string): Buffer;
  /** Forgets all opened secrets of an enrollment that is gone, or shows no secret any more. */
  forget(row: EnrollmentRow): void;
  /** The unused recovery codes in the order of creation. */
  recoveryCodes(row: EnrollmentRow): readonly string[];
  /**
   * Whether a TOTP code is a repeated one: its time step is no later than the last accepted one,
   * although the time in which that one is shown is over. This happens when the wall clock was set
   * back, and for a while after a restart. Until that time is over a code may serve several
   * operations (behaviour/mfa#single-use).
   */
  isReplayed(row: EnrollmentRow, timeStep: number): boolean;
  /** Notes that an operation accepted a code of a later time step than any before. */
  noteStep(row: EnrollmentRow): void;
  /** The code that `code` matches at `nowMs`; `totp` ignores recovery codes. */
  match(
    row: EnrollmentRow,
    code: string,
    accepts: 'totp' | 'any',
    nowMs: number,
  ): MatchedCode | undefined;
}

/** The parts of the controller that second factors need. */
export interface MfaOptions {
  readonly sealing: Pick<Sealing, 'seal' | 'open'>;
  readonly random: Random;
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly bounds?: BoundValues | undefined;
  /** The issuer of the codes, and how many steps the clocks of phones may be off. */
  readonly totp: { readonly issuer: string; readonly windowSteps: number };
}

/** The bounds of guessing (behaviour/mfa#guessing, RFC 4226 §7.3). */
const mfaGuessBounds = {
  /**
   * Wrong MFA codes in a row before an identity is barred. With the window of three steps, ten
   * guesses hit one time in 33,000. Each is a frame of the log. @bound per identity
   */
  mfaWrongCodesMax: 10,
  /** The first bar after wrong MFA codes; each further bar is twice as long. @bound per identity */
  mfaBarMs: 60_000,
  /** The longest bar. Ten guesses per hour need 4 years on average. @bound per identity */
  mfaBarMsMax: 3_600_000,
};

/** Recovery codes of an enrollment, and characters of one (behaviour/mfa#recovery-codes). */
const recoveryCodesCount = 20;
const recoveryCodeCharacters = 6;
/** Eight base32 characters are five bytes. */
const recoveryBytes = (recoveryCodesCount * recoveryCodeCharacters * 5) / 8;

/** The second factors of one controller. */
export function createMfa({ sealing, random, clock, bounds, totp }: MfaOptions): Mfa {
  const opened = new Opened(sealing);
  const guessBounds = boundsOf(mfaGuessBounds, bounds);
  const sealRecoveryCodes = (id: string, codes: readonly string[]) =>
    sealing.seal(Buffer.from(codes.join('')), placeOf(id, 'recoveryCodes'));
  const issueRecoveryCodes = (id: string) =>
    sealRecoveryCodes(id, codesIn(base32(random.bytes(recoveryBytes))));
  const urlOf = (row: EnrollmentRow, name: string) =>
    provisioningUrl({ issuer: totp.issuer, name, secret: opened.secret(row) });
  const stepNotedAt = new RecentCache<EnrollmentRow, number>(openedRowsMax, () => 1);
  const stepShownMs = (2 * totp.windowSteps + 1) * totpStepSeconds * 1000;
  const pictures = new RecentCache<EnrollmentRow, Picture>(
    pictureBytesMax,
    ({ png }) => png.length,
  );
  return {
    guessBounds,
    isBarred({ record: { barredUntil } }, nowMs) {
      // A wall clock that was set back prolongs no bar beyond the longest.
      return nowMs < barredUntil && nowMs >= barredUntil - guessBounds.mfaBarMsMax;
    },
    issue: (id) => ({
      secret: sealing.seal(random.bytes(totpSecretBytes), placeOf(id, 'secret')),
      recoveryCodes: issueRecoveryCodes(id),
    }),
    issueRecoveryCodes,
    sealRecoveryCodes,
    provisioningUrl: urlOf,
    qrCode(row, name) {
      const url = urlOf(row, name);
      const known = pictures.get(row);
      if (known?.url === url) return known.png;
      const png = qrCodePng(url);
      pictures.set(row, { url, png });
      return png;
    },
    forget(row) {
      opened.forget(row);
      pictures.delete(row);
      stepNotedAt.delete(row);
    },
    isReplayed(row, timeStep) {
      if (timeStep > row.record.lastUsedStep) return false;
      const notedAt = stepNotedAt.get(row);
      return notedAt === undefined || clock.monotonic() - notedAt >= stepShownMs;
    },
    noteStep: (row) => stepNotedAt.set(row, clock.monotonic()),
    recoveryCodes: (row) => codesIn(opened.recoveryCodes(row).toString()),
    match(row, code, accepts, nowMs) {
      const timeStep = totpStepOf(opened.secret(row), code, nowMs, totp.windowSteps);
      if (timeStep !== undefined) return { by: 'totp', timeStep };
      if (accepts === 'totp') return undefined;
      const codes = opened.recoveryCodes(row);
      const at = indexOfCode(codes, code);
      if (at === undefined) return undefined;
      return { by: 'recoveryCode', left: codesIn(codes.toString()).toSpliced(at, 1) };
    },
  };
}

/** Whether an opened text is valid for the field of an enrollment. */
export const fitsFactor: Fits = (_record, field, { length }) =>
  field === 'secret'
    ? length >= totpSecretBytesMin && length <= totpSecretBytesMax
    : length % recoveryCodeCharacters === 0;

const placeOf = (id: string, field: keyof SealedFactors): SealedPlace => ({
  kind: 'mfaEnrollment',
  id,
  field,
});

/** Recovery codes are stored as one text, one after the other. */
function codesIn(text: string): string[] {
  return Array.from({ length: text.length / recoveryCodeCharacters }, (_, i) =>
    text.slice(i * recoveryCodeCharacters, (i + 1) * recoveryCodeCharacters),
  );
}

/** Compares every code to its end, so that the time does not reveal how close a guess was. */
function indexOfCode(codes: Buffer, code: string): number | undefined {
  const given = Buffer.from(code);
  if (given.length !== recoveryCodeCharacters) return undefined;
  let found: number | undefined;
  for (let at = 0; at < codes.length; at += recoveryCodeCharacters) {
    const known = codes.subarray(at, at + recoveryCodeCharacters);
    if (timingSafeEqual(known, given)) found = at / recoveryCodeCharacters;
  }
  return found;
}

interface OpenedText {
  readonly sealed: string;
  readonly plain: Buffer;
}

/**
 * QR codes that are kept, 1 to 2 KB each, so that a thousand can enroll at once.
 * @bound per controller
 */
const pictureBytesMax = 4_000_000;

interface Picture {
  readonly url: string;
  readonly png: Buffer;
}

type OpenedTexts = RecentCache<EnrollmentRow, OpenedText>;

/**
 * Enrollments whose opened secrets are kept: 25,000 active ones find theirs again, and no map grows
 * so large that V8 takes long to double it. Opening takes 0.1 ms. @bound per controller
 */
const openedRowsMax = 50_000;

/**
 * Recently opened secrets, by row while the sealed text is the same, so that a login neither
 * deciphers nor decodes.
 */
class Opened {
  readonly #sealing: Pick<Sealing, 'open'>;
  readonly #secrets: OpenedTexts = new RecentCache(openedRowsMax, () => 1);
  readonly #recoveryCodes: OpenedTexts = new RecentCache(openedRowsMax, () => 1);

  constructor(sealing: Pick<Sealing, 'open'>) {
    this.#sealing = sealing;
  }

  secret(row: EnrollmentRow): Buffer {
    return this.#open(this.#secrets, row, 'secret');
  }

  recoveryCodes(row: EnrollmentRow): Buffer {
    return this.#open(this.#recoveryCodes, row, 'recoveryCodes');
  }

  forget(row: EnrollmentRow): void {
    this.#secrets.delete(row);
    this.#recoveryCodes.delete(row);
  }

  #open(texts: OpenedTexts, row: EnrollmentRow, field: keyof SealedFactors): Buffer {
    const sealed = row.record[field];
    const known = texts.get(row);
    if (known?.sealed === sealed) return known.plain;
    const plain = this.#sealing.open(sealed, placeOf(row.record.id, field));
    texts.set(row, { sealed, plain });
    return plain;
  }
}
