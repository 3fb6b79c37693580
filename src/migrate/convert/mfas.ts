// Second factors of the peer, which it keeps in clear: they are sealed here.

import { mfaEnrollmentKind } from '../../records/mfa-enrollment.ts';
import { SourceDamaged } from '../source-problem.ts';
import { defineConversion } from './conversion.ts';
import { textIn } from './entity-values.ts';
import { LeftOut } from './left-out.ts';
import type { EntityNotes } from './notes.ts';

/** Bytes of a TOTP secret; those of the peer have 10. */
const [secretBytesMin, secretBytesMax] = [10, 64];

/** TOTP secrets with their recovery codes. */
export const mfas = defineConversion({
  bucket: 'mfas',
  kind: mfaEnrollmentKind,
  derived: ['salt'],
  convert(entity, { sealer }, notes) {
    const identityId = textIn(entity, 'identity');
    if (identityId === undefined) return new LeftOut('It names no identity.');
    const secret = base32In(entity.text('secret') ?? '');
    // Without its second factor an identity would log in with less than before.
    if (secret === undefined) throw new SourceDamaged('Its secret is no text in base32.');
    if (secret.length < secretBytesMin || secret.length > secretBytesMax) {
      throw new SourceDamaged(
        `Its secret has ${secret.length} bytes, and not ${secretBytesMin} to ${secretBytesMax}.`,
      );
    }
    const codes = fittingCodes(entity.set('recoveryCodes'), notes);
    const seal = (field: string, plain: Buffer) =>
      sealer.seal(plain, { kind: mfaEnrollmentKind.kind, id: entity.id, field });
    return {
      identityId,
      state: entity.flag('isVerified') ? 'verified' : 'pending',
      secret: seal('secret', secret),
      recoveryCodes: seal('recoveryCodes', Buffer.from(codes.join(''))),
    };
  },
  taken({ state, identityId }, { secondFactors }) {
    if (state === 'verified') secondFactors.add(identityId);
  },
});

function fittingCodes(codes: readonly string[], notes: EntityNotes): readonly string[] {
  // Codes are stored one after the other, so all have the same length.
  const fitting = codes.filter((code) => /^[!-~]{6}$/.test(code));
  const others = codes.length - fitting.length;
  if (others > 0)
    notes.changed(`Of its recovery codes, ${others} do not have 6 characters and go.`);
  return fitting;
}

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** The bytes of a text in base32, with or without padding (RFC 4648 §6); undefined for no such. */
function base32In(text: string): Buffer | undefined {
  const digits = text.replace(/=+$/, '').toUpperCase();
  if (!/^[A-Z2-7]+$/.test(digits)) return undefined;
  const bytes: number[] = [];
  let [bits, bitCount] = [0, 0];
  for (const digit of digits) {
    bits = ((bits << 5) | alphabet.indexOf(digit)) & 0xfff;
    bitCount += 5;
    if (bitCount < 8) continue;
    bitCount -= 8;
    bytes.push((bits >> bitCount) & 0xff);
  }
  return Buffer.from(bytes);
}
