// Time-based one-time passwords (RFC 6238): secrets, their codes, and the URL by which an app
// imports a secret.

import { createHmac, timingSafeEqual } from 'node:crypto';
import { createRequire } from 'node:module';
import type * as Otplib from 'otplib';

const require = createRequire(import.meta.url);
let loaded: typeof Otplib | undefined;
let guardrails: Otplib.OTPGuardrails | undefined;

/** Loaded with the first code, because it takes 10 ms and many homes never need it. */
function otplib(): typeof Otplib {
  return (loaded ??= require('otplib') as typeof Otplib);
}

/** The library alone accepts no secret below 16 bytes. */
function ourGuardrails(): Otplib.OTPGuardrails {
  return (guardrails ??= otplib().createGuardrails({
    MIN_SECRET_BYTES: totpSecretBytesMin,
    MAX_SECRET_BYTES: totpSecretBytesMax,
  }));
}

/** Seconds of one time step (RFC 6238 §5.2, behaviour/mfa#codes). */
export const totpStepSeconds = 30;
/** Bytes of a new secret: as long as the hash (RFC 4226 §4, behaviour/mfa#codes). */
export const totpSecretBytes = 20;
/**
 * Bytes of the shortest secret that is accepted: the controller of OpenZiti makes such ones, and
 * people keep their apps when a network is taken over (behaviour/mfa#codes). @bound
 */
export const totpSecretBytesMin = 10;
/** Bytes of the longest secret that is accepted: HMAC-SHA-1 hashes a longer key first. @bound */
export const totpSecretBytesMax = 64;

/**
 * The time step whose code this is, within `windowSteps` either side of `nowMs` (wall clock);
 * undefined for none. A text that is not six digits is never a code.
 * @param secret of `totpSecretBytesMin` to `totpSecretBytesMax` bytes
 */
export function totpStepOf(
  secret: Uint8Array,
  code: string,
  nowMs: number,
  windowSteps: number,
): number | undefined {
  if (!sixDigits.test(code)) return undefined;
  const found = otplib().verifySync({
    secret,
    token: code,
    crypto: nodeCrypto,
    guardrails: ourGuardrails(),
    algorithm: 'sha1',
    digits: 6,
    period: totpStepSeconds,
    epochTolerance: windowSteps * totpStepSeconds,
    epoch: Math.floor(nowMs / 1000),
  });
  return found.valid && 'timeStep' in found ? found.timeStep : undefined;
}

const sixDigits = /^[0-9]{6}$/;

/** Base32 without padding (RFC 4648 §6), as apps expect secrets. */
export function base32(bytes: Uint8Array): string {
  return new (otplib().ScureBase32Plugin)().encode(bytes);
}

/** Uses OpenSSL, which takes a third of the time of otplib's own hashing in JavaScript. */
const nodeCrypto: Otplib.CryptoPlugin = {
  name: 'node',
  algorithms: ['sha1'],
  hmac: (algorithm, key, data) => createHmac(algorithm, key).update(data).digest(),
  constantTimeEqual(one, other) {
    const [a, b] = [Buffer.from(one), Buffer.from(other)];
    return a.length === b.length && timingSafeEqual(a, b);
  },
  randomBytes() {
    throw new Error('secrets come of the Random port');
  },
};

/** The parts of a provisioning URL. */
export interface Provisioning {
  readonly issuer: string;
  /** The name of the identity. */
  readonly name: string;
  readonly secret: Uint8Array;
}

/**
 * Characters of a provisioning URL: this many bytes need a QR code of version 25, where 256 pixels
 * allow two for each of its 117 × 117 modules. @bound
 */
const totpUrlCharactersMax = 997;

/**
 * `otpauth://totp/<issuer>:<name>?issuer=<issuer>&secret=<secret>` (behaviour/mfa#provisioning).
 * The name is only a label in the app, so one that is too long for a QR code is cut off.
 */
export function provisioningUrl({ issuer, name, secret }: Provisioning): string {
  const by = encodeURIComponent(wellFormed(issuer));
  const before = `otpauth://totp/${by}:`;
  const behind = `?issuer=${by}&secret=${base32(secret)}`;
  const room = totpUrlCharactersMax - before.length - behind.length;
  let label = encodeURIComponent(wellFormed(name));
  if (label.length > room) label = shortened(name, room);
  return before + label + behind;
}

/** As many whole characters of the name as fit, percent-encoded. */
function shortened(name: string, room: number): string {
  let label = '';
  for (const character of wellFormed(name)) {
    const encoded = encodeURIComponent(character);
    if (label.length + encoded.length > room) break;
    label += encoded;
  }
  return label;
}

/** JSON can hold half surrogate pairs, but a URL cannot. */
const wellFormed = (text: string) => Buffer.from(text).toString();
