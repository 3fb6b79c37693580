// The secrets of an MFA enrollment are decrypted once, and dropped on request.

import t from 'tap';
import type { Sealing } from '../../src/auth/sealing/sealing.ts';
import { createMfa, fitsFactor } from '../../src/auth/second-factor/mfa.ts';
import type { MfaEnrollmentRecord } from '../../src/records/mfa-enrollment.ts';
import { Row } from '../../src/store/record.ts';

t.test('secrets and pictures are kept until they are to be forgotten', async (t) => {
  let opened = 0;
  const sealing: Pick<Sealing, 'seal' | 'open'> = {
    seal: (plain) => Buffer.from(plain).toString('hex'),
    open(sealed) {
      opened++;
      return Buffer.from(sealed, 'hex');
    },
  };
  const mfa = createMfa({
    sealing,
    random: { bytes: (length: number) => Buffer.alloc(length, 7) },
    clock: { monotonic: () => 0 },
    totp: { issuer: 'test', windowSteps: 1 },
  });
  const record = { id: 'e', ...mfa.issue('e') } as MfaEnrollmentRecord;
  const row = new Row(record, 1, 0);
  const picture = mfa.qrCode(row, 'somebody');
  t.equal(mfa.qrCode(row, 'somebody'), picture);
  t.not(mfa.qrCode(row, 'somebody else'), picture);
  const codes = mfa.recoveryCodes(row);
  t.same(mfa.recoveryCodes(row), codes);
  t.match(mfa.match(row, codes[0] ?? '', 'any', 0), { by: 'recoveryCode' });
  t.equal(opened, 2, 'each of the two once');
  mfa.forget(row);
  t.same(mfa.qrCode(row, 'somebody else'), mfa.qrCode(row, 'somebody else'));
  t.same(mfa.recoveryCodes(row), codes);
  t.equal(opened, 4, 'and once again behind that');
});

t.test('which opened texts are secrets and recovery codes', async (t) => {
  const record = { id: 'e', createdAt: 1, updatedAt: 1, tags: {} };
  const fits = (field: string, bytes: number) => fitsFactor(record, field, Buffer.alloc(bytes));
  t.same(
    [0, 9, 10, 16, 20, 64, 65].map((bytes) => fits('secret', bytes)),
    [false, false, true, true, true, true, false],
  );
  t.same(
    [0, 5, 6, 120].map((bytes) => fits('recoveryCodes', bytes)),
    [true, false, true, true],
  );
});
