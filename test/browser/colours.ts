// Colours as eyes tell them apart: contrast of text, distance, and the colour-blind.

/** How somebody sees; the words are those of the browser's own emulation. */
export type Vision = 'none' | 'protanopia' | 'deuteranopia' | 'tritanopia';

/** All of them. */
export const visions: readonly Vision[] = ['none', 'protanopia', 'deuteranopia', 'tritanopia'];

type Triple = readonly [number, number, number];

/**
 * Machado, Oliveira and Fernandes, "A Physiologically-based Model for Simulation of Color Vision
 * Deficiency" (2009), severity 1, for linear RGB.
 */
const matrices: Readonly<Record<Vision, readonly [Triple, Triple, Triple]>> = {
  none: [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  protanopia: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deuteranopia: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  tritanopia: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
};

/** A colour, `#rrggbb`, as somebody sees it. */
export function seenBy(vision: Vision, colour: string): string {
  const linear = linearOf(colour);
  const [red, green, blue] = matrices[vision].map((row) => {
    const value = row[0] * linear[0] + row[1] * linear[1] + row[2] * linear[2];
    return byteOf(Math.min(1, Math.max(0, value)));
  });
  return hexOf([red ?? 0, green ?? 0, blue ?? 0]);
}

/** `#rrggbb` of three bytes. */
export function hexOf(bytes: Triple): string {
  return `#${bytes.map((byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}

/** The ratio of WCAG 2.2, from 1 to 21. */
export function contrast(one: string, other: string): number {
  const [dark = 0, light = 0] = [one, other].map(luminance).sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

/** The distance in CIE L*a*b* (1976). */
export function distance(one: string, other: string): number {
  const [a, b] = [labOf(one), labOf(other)];
  return Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

function luminance(colour: string): number {
  const [red, green, blue] = linearOf(colour);
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** @throws for anything but `#rrggbb` */
function linearOf(colour: string): Triple {
  if (!/^#[0-9a-f]{6}$/i.test(colour)) throw new Error(`no colour: ${colour}`);
  const [red, green, blue] = [1, 3, 5].map((at) => {
    const value = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return [red ?? 0, green ?? 0, blue ?? 0];
}

function byteOf(linear: number): number {
  const value = linear <= 0.0031308 ? linear * 12.92 : 1.055 * linear ** (1 / 2.4) - 0.055;
  return Math.round(value * 255);
}

/** With the white of D65. */
function labOf(colour: string): Triple {
  const [red, green, blue] = linearOf(colour);
  const x = (0.4124 * red + 0.3576 * green + 0.1805 * blue) / 0.95047;
  const z = (0.0193 * red + 0.1192 * green + 0.9505 * blue) / 1.08883;
  const [fx = 0, fy = 0, fz = 0] = [x, luminance(colour), z].map((value) =>
    value > 0.008856 ? Math.cbrt(value) : 7.787 * value + 16 / 116,
  );
  return [116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz)];
}
