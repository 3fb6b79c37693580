// Secrets at rest that must be shown again: AES-256-GCM under a key file of the home
// (behaviour/mfa#at-rest, behaviour/api-sessions#at-rest).

import {
  createCipheriv,
  createDecipheriv,
  createSecretKey,
  hash,
  hkdfSync,
  type KeyObject,
} from 'node:crypto';
import { join } from 'node:path';
import { StartProblem } from '../../errors/errors.ts';
import { readText, replaceText } from '../../pki/authority/files.ts';
import type { Disk, Random } from '../../platform/ports.ts';
import { tokenHash } from '../../records/token-hash.ts';
import type { SealedPlace, Sealer } from '../../store/record.ts';

/** Seals and opens texts. No error message contains anything of a secret. */
export interface Sealing extends Sealer {
  /**
   * A new token for a record, and the text that the record keeps: it only says that the token
   * follows from the key, which nobody can compute without the key. That takes a tenth of the time
   * of sealing.
   */
  newToken(place: SealedPlace): NewToken;
  /**
   * @throws Error for a text that was sealed by another key or for another place, or is damaged.
   */
  open(sealed: string, place: SealedPlace): Buffer;
}

/** A token, in the form of a UUID, and the text that opens to it at its place. */
export interface NewToken {
  readonly token: string;
  readonly sealed: string;
}

/** A substitute for code that reads records and never writes them: it keeps no secret. */
export const blindSealer: Sealer = { seal: () => '' };

/** A sealed text and its place. */
export interface SealedText {
  readonly sealed: string;
  readonly place: SealedPlace;
  /** `tokenHash` of the opened text, if the record is found by that. */
  readonly hash?: string | undefined;
}

/** The options for opening the key file. */
export interface SealingKeyOptions {
  readonly disk: Disk;
  readonly random: Random;
  /** The directory of keys, `<home>/pki`. */
  readonly directory: string;
}

const fileName = 'sealing.key';
const keyBytes = 32;
const nonceBytes = 12;
const tagBytes = 16;
/** The prefix of each sealed text, so that another cipher or key can replace this one later. */
const formatVersion = 1;
/** The complete text of a token that follows from the key and its place: only the version. */
const derivedText = Buffer.of(2).toString('base64');

/**
 * The key file of a home while the home is opened. The key is needed before it can be tested,
 * because records of older versions are sealed while they are read. So a missing key is generated
 * in memory, and written only once it is certain that the home holds nothing that another key has
 * sealed.
 */
export class SealingKey implements Sealer {
  readonly #options: SealingKeyOptions;
  readonly #path: string;
  /**
   * The texts that this start has sealed, which do not prove anything about the previous key of the
   * home.
   */
  readonly #sealedHere = new Set<string>();
  #opened: OpenedKey | undefined;

  constructor(options: SealingKeyOptions) {
    this.#options = options;
    this.#path = join(options.directory, fileName);
  }

  /**
   * Seals values that were stored in clear text. @throws StartProblem for a key file that holds no
   * key.
   */
  seal(plain: Uint8Array, place: SealedPlace): string {
    const sealed = this.#open().sealing.seal(plain, place);
    this.#sealedHere.add(sealed);
    return sealed;
  }

  /**
   * Tests the key on the sealed texts of the home, and writes it to its file if there is none yet.
   * The directory exists by then.
   * @param texts all sealed texts; one from before this start is tested
   * @throws StartProblem when the key is missing or different although something is sealed: a new
   *   key would silently lose those values.
   */
  confirm(texts: Iterable<SealedText>): Sealing {
    const problem = this.problem(texts);
    if (problem !== undefined) throw new StartProblem(problem);
    this.#sealedHere.clear();
    const { sealing, hex, isNew } = this.#open();
    if (isNew) replaceText(this.#options.disk, this.#path, `${hex}\n`);
    return sealing;
  }

  /**
   * The reason why a home with these texts would not start, as a sentence; undefined if it would.
   * Nothing is written. @throws StartProblem for a key file that holds no key.
   */
  problem(texts: Iterable<SealedText>): string | undefined {
    const sample = this.#sampleOf(texts);
    if (sample === undefined) return undefined;
    const { sealing, isNew } = this.#open();
    if (isNew) {
      return (
        `${this.#path} is missing, and with it the second factors and tokens of this home cannot ` +
        'be read; put it back from where the home was copied from.'
      );
    }
    if (doesOpen(sealing, sample)) return undefined;
    return (
      `${this.#path} is not the key that the second factors and tokens of this home are sealed by; ` +
      'put back the one that belongs to it.'
    );
  }

  #open(): OpenedKey {
    return (this.#opened ??= this.#read());
  }

  #read(): OpenedKey {
    const { disk, random } = this.#options;
    const isNew = !disk.exists(this.#path);
    const hex = isNew
      ? random.bytes(keyBytes).toString('hex')
      : readText(disk, this.#path, fileName).trim();
    return { sealing: sealingBy(keyIn(hex, this.#path), random), hex, isNew };
  }

  #sampleOf(texts: Iterable<SealedText>): SealedText | undefined {
    for (const text of texts) if (!this.#sealedHere.has(text.sealed)) return text;
    return undefined;
  }
}

/** The sealing key of a home that is not there yet. */
export interface NewSealingKey {
  readonly sealing: Sealing;
  /** The name of its file in `<home>/pki`. */
  readonly fileName: string;
  /** The content of that file. */
  readonly text: string;
}

/** Makes a key in memory, so that secrets are sealed before the first byte of a home is written. */
export function newSealingKey(random: Random): NewSealingKey {
  const hex = random.bytes(keyBytes).toString('hex');
  return { sealing: sealingBy(keyIn(hex, fileName), random), fileName, text: `${hex}\n` };
}

interface OpenedKey {
  readonly sealing: Sealing;
  readonly hex: string;
  /** Whether there is no file yet. */
  readonly isNew: boolean;
}

function doesOpen(sealing: Sealing, { sealed, place, hash: expected }: SealedText): boolean {
  try {
    const plain = sealing.open(sealed, place).toString();
    return expected === undefined || tokenHash(plain) === expected;
  } catch {
    return false;
  }
}

function keyIn(hex: string, path: string): KeyObject {
  if (!/^[0-9a-f]{64}$/.test(hex)) {
    throw new StartProblem(`${path} does not hold a key of 64 hexadecimal digits.`);
  }
  return createSecretKey(hex, 'hex');
}

/** Nonces that are fetched at once: a start seals many tokens, and each call takes 2 µs. */
const noncesAtOnce = 64;

function sealingBy(key: KeyObject, random: Random): Sealing {
  const tokens = new DerivedTokens(key);
  let nonces: Buffer = Buffer.alloc(0);
  let next = 0;
  const newNonce = (): Buffer => {
    if (next === nonces.length) {
      nonces = random.bytes(nonceBytes * noncesAtOnce);
      next = 0;
    }
    return nonces.subarray(next, (next += nonceBytes));
  };
  return {
    seal(plain, place) {
      const nonce = newNonce();
      const cipher = createCipheriv('aes-256-gcm', key, nonce);
      cipher.setAAD(associated(place));
      const bytes = Buffer.allocUnsafe(1 + nonceBytes + plain.length + tagBytes);
      bytes[0] = formatVersion;
      bytes.set(nonce, 1);
      bytes.set(cipher.update(plain), 1 + nonceBytes);
      // A stream cipher has no remaining output.
      cipher.final();
      bytes.set(cipher.getAuthTag(), bytes.length - tagBytes);
      return bytes.toString('base64');
    },
    newToken: (place) => ({ token: tokens.at(place), sealed: derivedText }),
    open(sealed, place) {
      if (sealed === derivedText && place.field === 'token') return Buffer.from(tokens.at(place));
      const bytes = Buffer.from(sealed, 'base64');
      const end = bytes.length - tagBytes;
      if (bytes[0] !== formatVersion || end < 1 + nonceBytes) throw unreadable(place);
      const nonce = bytes.subarray(1, 1 + nonceBytes);
      const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: tagBytes });
      decipher.setAAD(associated(place));
      decipher.setAuthTag(bytes.subarray(end));
      const plain = decipher.update(bytes.subarray(1 + nonceBytes, end));
      try {
        decipher.final();
      } catch {
        throw unreadable(place);
      }
      return plain;
    },
  };
}

/**
 * Tokens that follow from the sealing key and a place: SHA3-256 over a separate key and the place,
 * cut to the 122 random bits of a UUID. A sponge needs no HMAC around it to be keyed (FIPS 202, and
 * NIST SP 800-185 §4 for KMAC, which has the same structure).
 */
class DerivedTokens {
  /** The key, and behind it the place of the last token. The key is in no other buffer. */
  #input: Buffer;

  constructor(key: KeyObject) {
    this.#input = Buffer.alloc(keyBytes + usualPlaceBytes);
    this.#input.set(new Uint8Array(hkdfSync('sha256', key, '', 'edge-control tokens', keyBytes)));
  }

  at(place: SealedPlace): string {
    const text = placeText(place);
    // A UTF-16 unit becomes three bytes of UTF-8 at most.
    const bytesMax = keyBytes + 3 * text.length;
    if (bytesMax > this.#input.length) this.#lengthen(bytesMax);
    const end = keyBytes + this.#input.write(text, keyBytes);
    const hex = hash('sha3-256', this.#input.subarray(0, end), 'hex');
    const variant = '89ab'[Number.parseInt(hex.charAt(16), 16) % 4];
    const [low, middle, last] = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(20, 32)];
    return `${low}-${middle}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${last}`;
  }

  #lengthen(bytes: number): void {
    const longer = Buffer.alloc(bytes);
    longer.set(this.#input);
    this.#input = longer;
  }
}

/** Enough for the tokens of API sessions and enrollments; longer places get more. */
const usualPlaceBytes = 256;

/** None of the three can hold the separator, so no two places have the same text. */
const placeText = ({ kind, id, field }: SealedPlace) => `${kind}\0${id}\0${field}`;

const associated = (place: SealedPlace) => Buffer.from(placeText(place));

const unreadable = ({ kind, id, field }: SealedPlace) =>
  new Error(`${field} of ${kind} ${id} was not sealed here by this key`);
