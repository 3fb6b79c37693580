// The app on somebody's phone: takes a provisioning URL and shows codes. Written by the RFCs alone,
// so that it checks the controller and the library behind it.

import { createHmac } from 'node:crypto';

/**
 * The code that an app shows at `nowMs`, `steps` time steps later.
 * @param given a provisioning URL or the secret in it
 */
export function appCode(given: string, nowMs: number, steps = 0): string {
  const secret = /[?&]secret=([A-Z2-7]+)/.exec(given)?.[1] ?? given;
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(nowMs / 30_000) + steps));
  const mac = createHmac('sha1', fromBase32(secret)).update(counter).digest();
  const at = (mac.at(-1) ?? 0) & 15;
  return String((mac.readUInt32BE(at) & 0x7fffffff) % 1_000_000).padStart(6, '0');
}

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** @throws RangeError for other characters than those of base32. */
export function fromBase32(text: string): Buffer {
  let bits = '';
  for (const character of text) {
    const value = alphabet.indexOf(character);
    if (value < 0) throw new RangeError(`${character} is none of base32`);
    bits += value.toString(2).padStart(5, '0');
  }
  const bytes = bits.match(/.{8}/g) ?? [];
  return Buffer.from(bytes.map((byte) => Number.parseInt(byte, 2)));
}
