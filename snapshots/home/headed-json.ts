// Small JSON files whose first line gives their type, their format version and their checksum.

import { crc32 } from 'node:zlib';

import type { Disk } from '../../src/platform/ports.ts';
import { NewerFormat } from '../errors.ts';
import { readWhole } from './file-access.ts';

/** A type of such files. */
export interface HeadedFormat {
  /** The name of the type in the first line. */
  readonly name: string;
  /** The version that is written, and the newest that is read. */
  readonly version: number;
}

/** `value` as the text of such a file: `edge-control <name> <version> <crc32 of the rest>`. */
export function headedText({ name, version }: HeadedFormat, value: unknown): string {
  const body = `${JSON.stringify(value, null, 2)}\n`;
  return `edge-control ${name} ${version} ${checksum(body)}\n${body}`;
}

/** How a file of a type is read. */
export interface HeadedReading<T> {
  readonly format: HeadedFormat;
  /** Whether a value is what such a file holds. */
  readonly isFit: (value: unknown) => value is T;
  /** Makes the error to throw from a description of the damage. */
  readonly damaged: (reason: string) => Error;
}

/** The list of files of a backup is the longest of these texts. @bound */
export const headedBytesMax = 16 * 1024 * 1024;

/**
 * Reads the file at `path`.
 * @throws NewerFormat; what `damaged` makes; errors of the disk
 */
export function readHeaded<T>(
  disk: Disk,
  path: string,
  { format, isFit, damaged }: HeadedReading<T>,
): T {
  const text = readWhole(disk, path, headedBytesMax).toString('utf8');
  const end = text.indexOf('\n');
  const head = /^edge-control ([a-z]+) (\d+) ([0-9a-f]{8})$/.exec(text.slice(0, end));
  if (head?.[1] !== format.name) throw damaged('its first line does not read');
  const version = Number(head[2]);
  if (version > format.version) {
    throw new NewerFormat(path, `${format.name} format`, version, format.version);
  }
  const body = text.slice(end + 1);
  const sound = version === format.version && checksum(body) === head[3];
  if (!sound) throw damaged('its checksum does not fit');
  const value = parsed(body);
  if (!isFit(value)) throw damaged(`it does not hold what a file of type ${format.name} holds`);
  return value;
}

/** Undefined for what is no JSON, which no file of ours is. */
function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

/** Whether a value is an object and no list. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function checksum(body: string): string {
  return crc32(Buffer.from(body)).toString(16).padStart(8, '0');
}
