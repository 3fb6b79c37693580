// Argon2id hashes as PHC strings: parses them within bounds, and tells whether one is still strong
// enough.

import type { Argon2Parameters } from '../../platform/ports.ts';

/** The parameters in a PHC string. */
export interface Phc extends Argon2Parameters {
  readonly saltBytes: number;
  readonly hashBytes: number;
}

/**
 * The largest cost of a stored hash and of the configuration, so that no record can overload the
 * machine.
 */
const phcCostMax: Argon2Parameters = {
  memoryKib: 4 * 1024 * 1024,
  timeCost: 100,
  parallelism: 64,
};

/** Length of the hashes we create; RFC 9106 §4 recommends it. */
export const hashBytes = 32;
/** Length of the salts we create; RFC 9106 §3.1 recommends it. */
export const saltBytes = 16;

const base64 = '[A-Za-z0-9+/]';
const phcForm = new RegExp(
  '^\\$argon2id\\$v=19\\$m=(\\d{1,9}),t=(\\d{1,9}),p=(\\d{1,9})' +
    `\\$(${base64}{11,86})\\$(${base64}{16,86})$`,
);

/** Reads an Argon2id PHC string; undefined for any other text, and beyond `costMax`. */
export function parsePhc(text: string, costMax: Argon2Parameters = phcCostMax): Phc | undefined {
  const match = phcForm.exec(text);
  if (match === null) return undefined;
  const [, m, t, p, salt = '', hash = ''] = match;
  const phc = {
    memoryKib: Number(m),
    timeCost: Number(t),
    parallelism: Number(p),
    saltBytes: decodedBytes(salt),
    hashBytes: decodedBytes(hash),
  };
  return isWithin(phc, costMax) ? phc : undefined;
}

/**
 * Whether a stored hash is weaker than a new one (behaviour/login#passwords): less memory, less
 * work in all, or a shorter hash. Parallelism adds no strength. An unreadable one counts as weak.
 */
export function needsRehash(phc: string, parameters: Argon2Parameters): boolean {
  const stored = parsePhc(phc);
  if (stored === undefined || stored.hashBytes < hashBytes) return true;
  if (stored.memoryKib < parameters.memoryKib) return true;
  return stored.memoryKib * stored.timeCost < parameters.memoryKib * parameters.timeCost;
}

/** A PHC string from its parts; base64 without padding. */
export function formatPhc(parameters: Argon2Parameters, salt: Buffer, hash: Buffer): string {
  const { memoryKib, timeCost, parallelism } = parameters;
  const [saltText, hashText] = [salt, hash].map((part) =>
    part.toString('base64').replace(/=+$/, ''),
  );
  return `$argon2id$v=19$m=${memoryKib},t=${timeCost},p=${parallelism}$${saltText}$${hashText}`;
}

/** The least values are those of RFC 9106 §3.1. */
function isWithin(cost: Argon2Parameters, max: Argon2Parameters): boolean {
  const { memoryKib, timeCost, parallelism } = cost;
  if (parallelism < 1 || parallelism > max.parallelism) return false;
  if (timeCost < 1 || timeCost > max.timeCost) return false;
  return memoryKib >= 8 * parallelism && memoryKib <= max.memoryKib;
}

function decodedBytes(base64: string): number {
  return Math.trunc((base64.length * 3) / 4);
}
