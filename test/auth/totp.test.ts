// Codes by the vectors of the RFCs, the edges of windows, and the parts of provisioning URLs.

import t from 'tap';
import {
  base32,
  provisioningUrl,
  totpSecretBytes,
  totpStepOf,
} from '../../src/auth/second-factor/totp.ts';
import { appCode, fromBase32 } from '../simulated/authenticator-app.ts';

/** The secret of both RFCs. */
const secret = Buffer.from('12345678901234567890');

t.test('RFC 6238 appendix B, SHA-1: the last six of eight digits', async (t) => {
  const vectors = [
    [59, '94287082'],
    [1111111109, '07081804'],
    [1111111111, '14050471'],
    [1234567890, '89005924'],
    [2000000000, '69279037'],
    [20000000000, '65353130'],
  ] as const;
  for (const [seconds, digits] of vectors) {
    const step = Math.floor(seconds / 30);
    t.equal(totpStepOf(secret, digits.slice(2), seconds * 1000, 0), step, String(seconds));
    t.equal(totpStepOf(secret, digits, seconds * 1000, 0), undefined, 'eight digits are none');
    t.equal(appCode(base32(secret), seconds * 1000), digits.slice(2), 'the app of the tests');
  }
});

t.test('RFC 4226 appendix D: counters 0 to 9', async (t) => {
  const codes = '755224 287082 359152 969429 338314 254676 287922 162583 399871 520489'.split(' ');
  for (const [step, code] of codes.entries()) {
    t.equal(totpStepOf(secret, code, step * 30_000, 0), step, code);
    t.equal(totpStepOf(secret, code, step * 30_000 + 29_999, 0), step, 'to its last millisecond');
    t.not(totpStepOf(secret, code, (step + 1) * 30_000, 0), step, 'and no further');
  }
});

t.test('the window reaches its steps either side and no further', async (t) => {
  const now = Date.UTC(2026, 0, 1);
  const current = now / 30_000;
  const shown = base32(secret);
  for (const windowSteps of [0, 1, 2]) {
    for (const at of [now, now + 29_999]) {
      for (let steps = -3; steps <= 3; steps++) {
        const expected = Math.abs(steps) <= windowSteps ? current + steps : undefined;
        const code = appCode(shown, at, steps);
        t.equal(totpStepOf(secret, code, at, windowSteps), expected, `${windowSteps}: ${steps}`);
      }
    }
  }
  t.equal(totpStepOf(secret, appCode(shown, 0), 0, 2), 0, 'there are no steps before the first');
});

t.test('secrets of 10 to 64 bytes, which other controllers make', async (t) => {
  for (const bytes of [10, 16, 20, 32, 64]) {
    const other = Buffer.alloc(bytes, 'a secret of theirs');
    const code = appCode(base32(other), 59_000);
    t.equal(totpStepOf(other, code, 59_000, 0), 1, `${bytes} bytes`);
    t.equal(totpStepOf(other, code, 59_000 + 60_000, 0), undefined, 'another step');
  }
});

t.test('texts that are no codes are refused', async (t) => {
  const wrong = [
    '',
    '28708',
    '2870820',
    ' 287082',
    '287082\n',
    '٢٨٧٠٨٢',
    '28708a',
    '-87082',
    '+1e003',
  ];
  for (const code of wrong) t.equal(totpStepOf(secret, code, 59_000, 2), undefined, code);
  t.equal(totpStepOf(secret, '287082', 59_000, 2), 1);
});

t.test('base32 by the vectors of RFC 4648 §10, without padding', async (t) => {
  const vectors = { f: 'MY', fo: 'MZXQ', foo: 'MZXW6', foob: 'MZXW6YQ', fooba: 'MZXW6YTB' };
  for (const [text, encoded] of Object.entries(vectors)) {
    t.equal(base32(Buffer.from(text)), encoded);
    t.equal(fromBase32(encoded).toString(), text);
  }
  t.equal(base32(Buffer.alloc(totpSecretBytes)).length, 32);
});

t.test('the provisioning URL has issuer, name and secret, and nothing else', async (t) => {
  t.equal(
    provisioningUrl({ issuer: 'openziti.io', name: 'alice', secret }),
    'otpauth://totp/openziti.io:alice?issuer=openziti.io&secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ',
  );
  const odd = { issuer: 'A & B/C', name: 'a:b?c#d%/é 名', secret };
  const url = new URL(provisioningUrl(odd));
  t.equal(url.pathname, '/A%20%26%20B%2FC:a%3Ab%3Fc%23d%25%2F%C3%A9%20%E5%90%8D');
  t.same([...url.searchParams.keys()], ['issuer', 'secret']);
  t.equal(url.searchParams.get('issuer'), odd.issuer);
  t.match(provisioningUrl({ ...odd, name: 'half \ud800' }), /:half%20%EF%BF%BD\?/);
});

t.test('a name that is too long for a QR code is cut between two characters', async (t) => {
  const issuer = '💡'.repeat(32);
  for (const name of ['x'.repeat(1000), 'é'.repeat(1000), `x${'💡'.repeat(499)}`]) {
    for (const by of ['openziti.io', issuer]) {
      const url = provisioningUrl({ issuer: by, name, secret });
      t.ok(url.length <= 997 && url.length > 997 - 12, String(url.length));
      const label = decodeURIComponent(url.split('?')[0] ?? '').split(':')[2] ?? '';
      t.ok(label.length > 10 && name.startsWith(label), label);
    }
  }
});
