// Secrets at rest that must be shown again: AES-256-GCM under a key file of the home (decision 29).

import { createCipheriv, createDecipheriv, createSecretKey, type KeyObject } from 'node:crypto';
import { join } from 'node:path';
import { StartProblem } from '../errors.ts';
import { readText, replaceText } from '../pki/files.ts';
import type { Disk, Random } from '../ports.ts';

/** Where a sealed text stands. It opens nowhere else: swapped texts are found out. */
export interface SealedPlace {
  readonly kind: string;
  readonly id: string;
  readonly field: string;
}

/** Seals and opens. Neither throws with anything of a secret in its message. */
export interface Sealing {
  seal(plain: Uint8Array, place: SealedPlace): string;
  /** @throws Error for a text that was sealed by another key or for another place, or damaged. */
  open(sealed: string, place: SealedPlace): Buffer;
}

/** What opening the key file needs. */
export interface SealingOptions {
  readonly disk: Disk;
  readonly random: Random;
  /** Of keys: `<home>/pki`, which exists. */
  readonly directory: string;
  /** Some text that the home keeps sealed; undefined when it keeps none. */
  readonly sample: { readonly sealed: string; readonly place: SealedPlace } | undefined;
}

const fileName = 'sealing.key';
const keyBytes = 32;
const nonceBytes = 12;
const tagBytes = 16;
/** Begins each sealed text, so that another cipher or key can come after this one. */
const formatVersion = 1;

/**
 * Reads the key file, and makes it where nothing is sealed yet.
 * @throws StartProblem when it is missing or another one although something is sealed: a new key
 *   in its place would lose every second factor in silence.
 */
export function openSealing({ disk, random, directory, sample }: SealingOptions): Sealing {
  const path = join(directory, fileName);
  if (!disk.exists(path)) {
    if (sample !== undefined) {
      throw new StartProblem(
        `${path} is missing, and with it the second factors of this home cannot be read; ` +
          'put it back from where the home was copied from.',
      );
    }
    replaceText(disk, path, `${random.bytes(keyBytes).toString('hex')}\n`);
  }
  const sealing = sealingBy(keyIn(readText(disk, path, fileName), path), random);
  if (sample === undefined) return sealing;
  try {
    sealing.open(sample.sealed, sample.place);
  } catch {
    throw new StartProblem(
      `${path} is not the key that the second factors of this home are sealed by; ` +
        'put back the one that belongs to it.',
    );
  }
  return sealing;
}

function keyIn(text: string, path: string): KeyObject {
  const hex = text.trim();
  if (!/^[0-9a-f]{64}$/.test(hex)) {
    throw new StartProblem(`${path} does not hold a key of 64 hexadecimal digits.`);
  }
  return createSecretKey(hex, 'hex');
}

function sealingBy(key: KeyObject, random: Random): Sealing {
  return {
    seal(plain, place) {
      const nonce = random.bytes(nonceBytes);
      const cipher = createCipheriv('aes-256-gcm', key, nonce);
      cipher.setAAD(associated(place));
      const parts = [cipher.update(plain), cipher.final()];
      const head = Buffer.of(formatVersion);
      return Buffer.concat([head, nonce, ...parts, cipher.getAuthTag()]).toString('base64');
    },
    open(sealed, place) {
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

/** None of the three can hold the separator, so no two places have the same bytes. */
const associated = ({ kind, id, field }: SealedPlace) => Buffer.from(`${kind}\0${id}\0${field}`);

const unreadable = ({ kind, id, field }: SealedPlace) =>
  new Error(`${field} of ${kind} ${id} was not sealed here by this key`);
