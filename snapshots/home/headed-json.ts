// Small JSON files whose first line gives their type, their format version and their checksum.

import { crc32 } from 'node:zlib';

import type { Disk } from '../../src/ports.ts';
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

/**
 * Reads the file at `path`.
 * @param damaged makes the error to throw from a description of the damage
 * @throws NewerFormat; what `damaged` makes
 */
export function readHeaded(
  disk: Disk,
  path: string,
  format: HeadedFormat,
  damaged: (reason: string) => Error,
): unknown {
  const text = readWhole(disk, path).toString('utf8');
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
  return JSON.parse(body);
}

function checksum(body: string): string {
  return crc32(Buffer.from(body)).toString(16).padStart(8, '0');
}
