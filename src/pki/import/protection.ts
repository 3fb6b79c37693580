// What all files under a password have in common: a bound on its cost, and the refusal of a wrong
// one.

import { PkiProblem } from '../problem.ts';
import { DerReader, derTag } from '../x509/der.ts';

/**
 * Rounds of one key derivation from a password. Tools ask for 2,048 to 600,000, and a damaged file
 * might ask for two thousand million; a million take 2 s. @bound
 */
const passwordRoundsMax = 1_000_000;

/**
 * Refuses parameters of a key derivation that hold a larger number than `passwordRoundsMax`: the
 * other numbers in them, such as lengths of keys, are small.
 * @param parameters DER
 * @throws PkiProblem for too many rounds; DerProblem for damaged DER
 */
export function refuseManyRounds(parameters: Buffer, name: string): void {
  const pending = [new DerReader(parameters)];
  // The loop also visits readers that it pushes itself.
  for (const reader of pending) {
    while (!reader.isAtEnd) {
      const { tag, content } = reader.next();
      if ((tag & constructed) !== 0) pending.push(new DerReader(content));
      if (tag !== derTag.integer) continue;
      if (!(Number(`0x${content.toString('hex')}`) <= passwordRoundsMax)) {
        throw new PkiProblem(
          `${name} asks for more than ${passwordRoundsMax} rounds to check its password.`,
        );
      }
    }
  }
}

/** X.690 §8.1.2.5. */
const constructed = 0x20;

/** The refusal of a password: a checksum does not tell it from damage. */
export function wrongPassword(name: string): PkiProblem {
  return new PkiProblem(`The password does not open ${name}: it is wrong, or the file is damaged.`);
}
