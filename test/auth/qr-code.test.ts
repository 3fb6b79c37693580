// The QR code is a PNG whose modules encode the text with medium error correction.

import { createRequire } from 'node:module';
import qrCode, { type QRCode } from 'qrcode';
import t from 'tap';
import { qrCodePng } from '../../src/auth/second-factor/qr-code.ts';

interface Png {
  readonly width: number;
  readonly height: number;
  /** Four bytes a pixel. */
  readonly data: Buffer;
}

const qrCodePixels = 256;

const require = createRequire(import.meta.url);
/** The PNG library that qrcode brings along. */
const { PNG } = createRequire(require.resolve('qrcode'))('pngjs') as {
  readonly PNG: { readonly sync: { read(bytes: Buffer): Png } };
};

for (const text of ['otpauth://totp/openziti.io:alice', 'x'.repeat(997)]) {
  t.test(`${text.length} characters`, async (t) => {
    const png = PNG.sync.read(qrCodePng(text));
    t.same([png.width, png.height], [qrCodePixels, qrCodePixels]);
    const { modules } = qrCode.create(text, { errorCorrectionLevel: 'M' });
    const isDark = (x: number, y: number) => png.data[4 * (y * png.width + x)] === 0;
    // The finder pattern begins in the corner, with seven dark modules in a row.
    const margin = Array.from({ length: qrCodePixels }, (_, at) => at).findIndex((at) =>
      isDark(at, at),
    );
    const pixels = (qrCodePixels - 2 * margin) / modules.size;
    t.ok(pixels >= 2 && margin >= 4 * Math.floor(pixels), `${pixels} pixels a module`);
    let wrong = 0;
    for (let y = 0; y < qrCodePixels; y++) {
      for (let x = 0; x < qrCodePixels; x++) {
        const [column, row] = [x, y].map((at) => Math.floor((at - margin) / Math.floor(pixels)));
        if (isDark(x, y) !== isDarkModule(modules, column ?? 0, row ?? 0)) wrong++;
      }
    }
    t.equal(wrong, 0, 'each pixel is that of its module, or white');
  });
}

function isDarkModule(modules: QRCode['modules'], column: number, row: number): boolean {
  const { size } = modules;
  if (column < 0 || row < 0 || column >= size || row >= size) return false;
  return modules.get(row, column) === 1;
}
