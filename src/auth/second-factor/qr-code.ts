// The QR code by which a phone reads a provisioning URL.

import { createRequire } from 'node:module';
import { crc32, deflateSync } from 'node:zlib';
import type * as QrCode from 'qrcode';

const require = createRequire(import.meta.url);

/** Pixels of a side (behaviour/mfa#provisioning). */
const qrCodePixels = 256;
/** Modules of white around the code (ISO/IEC 18004). */
const quietModules = 4;

/**
 * A PNG of a QR code with medium error correction, each module a whole number of pixels. The
 * library is loaded with the first one; its own PNG waits for the thread pool and has four bytes
 * per pixel.
 */
export function qrCodePng(text: string): Buffer {
  const { create } = require('qrcode') as typeof QrCode;
  const { modules } = create(text, { errorCorrectionLevel: 'M' });
  const pixels = Math.floor(qrCodePixels / (modules.size + 2 * quietModules));
  const margin = (qrCodePixels - pixels * modules.size) >> 1;
  const moduleAt = (pixel: number) => Math.floor((pixel - margin) / pixels);
  return png((x, y) => {
    const [column, row] = [moduleAt(x), moduleAt(y)];
    const isInside = Math.min(column, row) >= 0 && Math.max(column, row) < modules.size;
    return isInside && modules.get(row, column) === 1;
  });
}

/** Black and white, one bit per pixel (ISO/IEC 15948). */
function png(isDark: (x: number, y: number) => boolean): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(qrCodePixels, 0);
  header.writeUInt32BE(qrCodePixels, 4);
  // One bit of grey; compression, filter and interlacing are the only or the first of their kind.
  header[8] = 1;
  const rowBytes = 1 + qrCodePixels / 8;
  const pixels = Buffer.alloc(rowBytes * qrCodePixels);
  for (let y = 0; y < qrCodePixels; y++) {
    for (let x = 0; x < qrCodePixels; x++) {
      const at = y * rowBytes + 1 + (x >> 3);
      if (!isDark(x, y)) pixels[at] = (pixels[at] ?? 0) | (0x80 >> (x & 7));
    }
  }
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(pixels)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  check.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, check]);
}
