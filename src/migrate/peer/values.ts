// Values of the peer: a byte that says their type, and their data.

import { isUtf8 } from 'node:buffer';
import type { BucketEntry } from '../bolt/bucket.ts';
import type { PeerJson } from './entity.ts';
import type { Place } from './place.ts';

const boolType = 1;
const int32Type = 2;
const int64Type = 3;
const floatType = 4;
const textType = 5;
const timeType = 6;
const nilType = 7;

const typeNames = ['', 'a bool', 'an int32', 'an int64', 'a float64', 'a text', 'a time', 'nil'];

/** Whether a value says that there is none. */
export function isNil(value: Buffer): boolean {
  return value.length === 1 && value[0] === nilType;
}

/**
 * A text, without its type byte.
 * @throws SourceDamaged for another type, and for bytes that are no UTF-8
 */
export function textOf(value: Buffer, place: Place): string {
  if (value[0] !== textType) throw wrongType(value, textType, place);
  const text = value.toString('utf8', 1);
  if (text.includes(undecodable) && !isUtf8(value.subarray(1))) throw place.damaged(noText);
  return text;
}

/**
 * The key of an entry, which is a text without a type byte: the name of a field, or an id.
 * @throws SourceDamaged for bytes that are no UTF-8
 */
export function nameOf(entry: BucketEntry, place: Place): string {
  const { name } = entry;
  if (name.includes(undecodable) && !isUtf8(entry.key)) throw place.damaged(noText);
  return name;
}

/** A bool. @throws SourceDamaged for anything else */
export function flagOf(value: Buffer, place: Place): boolean {
  if (value[0] !== boolType) throw wrongType(value, boolType, place);
  checkLength(value, 2, place);
  if (value.readUInt8(1) > 1) throw place.damaged(`is a bool with the byte ${value[1]}`);
  return value[1] === 1;
}

/**
 * An int32 or int64.
 * @throws SourceDamaged for another type, and for a number that JavaScript cannot hold exactly
 */
export function integerOf(value: Buffer, place: Place): number {
  if (value[0] === int32Type) {
    checkLength(value, 5, place);
    return value.readInt32LE(1);
  }
  if (value[0] !== int64Type) throw wrongType(value, int64Type, place);
  checkLength(value, 9, place);
  const number = value.readInt32LE(5) * wordSpan + value.readUInt32LE(1);
  if (!Number.isSafeInteger(number)) {
    throw place.damaged(
      `is ${value.readBigInt64LE(1)}, but whole numbers are taken up to ${Number.MAX_SAFE_INTEGER}`,
    );
  }
  return number;
}

/**
 * A time in ms since the Unix epoch, without what is finer; undefined for the zero time, which is
 * the beginning of year 1. Its zone says only how the peer shows it.
 * @throws SourceDamaged for another type, and for a time that a Date cannot hold
 */
export function timeOf(value: Buffer, place: Place): number | undefined {
  if (value[0] !== timeType) throw wrongType(value, timeType, place);
  // Version 2 has one byte more: seconds of the zone, as those before 1900 have them.
  const version = value[1];
  if (version !== 1 && version !== 2) {
    throw place.damaged(`is a time of the unknown version ${version ?? 'none'}`);
  }
  checkLength(value, version === 1 ? 16 : 17, place);
  const seconds = value.readInt32BE(2) * wordSpan + value.readUInt32BE(6);
  const nanoseconds = value.readInt32BE(10);
  if (nanoseconds < 0 || nanoseconds >= 1_000_000_000) {
    throw place.damaged(`is a time with ${nanoseconds} nanoseconds`);
  }
  if (seconds === 0 && nanoseconds === 0) return undefined;
  const ms = (seconds - epochSeconds) * 1000 + Math.floor(nanoseconds / 1_000_000);
  if (Math.abs(ms) > dateMs) throw place.damaged('is a time that is too far away');
  return ms;
}

/** Any typed value as JSON shows it. @throws SourceDamaged for what is none */
export function scalarOf(value: Buffer, place: Place): PeerJson {
  switch (value[0]) {
    case boolType:
      return flagOf(value, place);
    case int32Type:
    case int64Type:
      return integerOf(value, place);
    case floatType:
      return floatOf(value, place);
    case textType:
      return textOf(value, place);
    case timeType:
      return new Date(timeOf(value, place) ?? -epochSeconds * 1000).toISOString();
    case nilType:
      checkLength(value, 1, place);
      return null;
    default:
      throw wrongType(value, undefined, place);
  }
}

/** What stands for bytes that are no UTF-8, so that only a text with it needs a closer look. */
const undecodable = '\ufffd';
const noText = 'is no valid UTF-8';

const wordSpan = 2 ** 32;

/** Seconds from the beginning of year 1 to the Unix epoch. */
const epochSeconds = 62_135_596_800;

/** What a Date holds on either side of the Unix epoch (ECMA-262 §21.4.1.1). */
const dateMs = 8.64e15;

function floatOf(value: Buffer, place: Place): number {
  checkLength(value, 9, place);
  const number = value.readDoubleLE(1);
  if (!Number.isFinite(number)) throw place.damaged(`is ${number}, which JSON does not have`);
  return number;
}

function checkLength(value: Buffer, length: number, place: Place): void {
  if (value.length === length) return;
  const type = typeNames[value.readUInt8(0)];
  throw place.damaged(`is ${type} of ${value.length - 1} bytes instead of ${length - 1}`);
}

function wrongType(value: Buffer, wanted: number | undefined, place: Place): Error {
  const [type] = value;
  if (type === undefined) return place.damaged('has an empty value, without a byte for its type');
  const name = type === 0 ? undefined : typeNames[type];
  if (name === undefined || wanted === undefined) {
    return place.damaged(`has the unknown type ${type}`);
  }
  return place.damaged(`is ${name} instead of ${typeNames[wanted]}`);
}
