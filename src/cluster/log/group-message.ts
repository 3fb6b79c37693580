// Groups as messages of the stream, and back: headers by name, the frames as body, and a MAC over
// all of it and over the place where the message stands (behaviour/cluster#groups).

import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import { unpackTerm } from '../../../snapshots/log/codec.ts';
import {
  frameBytesAt,
  frameHeaderBytes,
  frameKinds,
  isKnownFrame,
  readFrame,
} from '../../../snapshots/log/frame.ts';
import type {
  Generation,
  Group,
  GroupKind,
  LogPoint,
  OutgoingMessage,
  StreamMessage,
  StreamSequence,
} from '../stream.ts';

/** What a node knows of the groups that it may trust. */
export interface GroupTrust {
  /** `groupKeyOf` the sealing key. */
  readonly key: Uint8Array;
  readonly generation: Generation;
  /** `frameSeed` of the data set. */
  readonly seed: number;
}

/**
 * Groups of a leader that may be unconfirmed at a time. Eight keep servers busy at the latency of a
 * network; a new leader uses up as many numbers before it begins. It is a part of the format: nodes
 * of one cluster share it. @bound
 */
export const groupsInFlightMax = 8;

/** A message that no leader of this data set and generation has sent, or that was changed since. */
export class GroupInvalid extends Error {
  override readonly name = 'GroupInvalid';
  readonly sequence: StreamSequence;

  constructor(sequence: StreamSequence, reason: string) {
    super(`message ${sequence} of the stream is wrong: ${reason}`);
    this.sequence = sequence;
  }
}

/** The key of MACs, derived from the sealing key, which all nodes share (RFC 5869). */
export function groupKeyOf(sealingKey: Uint8Array): Buffer {
  return Buffer.from(hkdfSync('sha256', sealingKey, '', 'edge-control groups', 32));
}

/**
 * The message of a group that is to stand at `sequence`. Equal groups at equal places have equal
 * messages. The body is not copied.
 */
export function groupMessage(
  group: Group,
  sequence: StreamSequence,
  key: Uint8Array,
): OutgoingMessage {
  const headers = new Map<string, string>([
    [names.kind, group.kind],
    [names.generation, `${group.generation}`],
    [names.firstLsn, `${group.after.lsn + 1}`],
    [names.lastLsn, `${group.last.lsn}`],
    [names.term, `${group.term}`],
    [names.nonce, group.nonce],
    [names.crcBefore, crcText(group.after.crc)],
    [names.crc, crcText(group.last.crc)],
  ]);
  headers.set(names.mac, macOf(headers, sequence, group.frames, key).toString('hex'));
  return { headers, body: group.frames };
}

/**
 * The group of a message, after its MAC, its generation and each of its frames were checked. Other
 * headers than ours are ignored, because servers add some. The frames share the message's memory.
 * @throws GroupInvalid
 */
export function readGroup(message: StreamMessage, trust: GroupTrust): Group {
  const { headers, sequence, body } = message;
  const refuse = (reason: string): never => {
    throw new GroupInvalid(sequence, reason);
  };
  const text = (name: string, form: RegExp): string => {
    const value = headers.get(name) ?? '';
    if (value.length > headerCharactersMax || !form.test(value)) {
      return refuse(`its header ${name} is missing or malformed`);
    }
    return value;
  };
  const whole = (name: string): number => {
    const value = Number(text(name, decimal));
    return Number.isSafeInteger(value) ? value : refuse(`its header ${name} is too large`);
  };
  const mac = Buffer.from(text(names.mac, hex64), 'hex');
  const kind = groupKinds.find((known) => known === headers.get(names.kind));
  const generation = whole(names.generation);
  const group: Group = {
    kind: kind ?? refuse(`its header ${names.kind} names no known kind`),
    generation,
    term: whole(names.term),
    nonce: text(names.nonce, hex32),
    after: { lsn: whole(names.firstLsn) - 1, crc: crcFrom(text(names.crcBefore, hex8)) },
    last: { lsn: whole(names.lastLsn), crc: crcFrom(text(names.crc, hex8)) },
    frames: body,
  };
  if (generation !== trust.generation) {
    return refuse(`it is of generation ${generation}, this node is of ${trust.generation}`);
  }
  if (!timingSafeEqual(mac, macOf(headers, sequence, body, trust.key))) {
    return refuse('its MAC does not match');
  }
  const fault = framesFault(group, trust.seed);
  return fault === undefined ? group : refuse(fault);
}

/** The MAC of a message, unchecked; empty if it has none. */
export function macBytesOf(headers: ReadonlyMap<string, string>): Buffer {
  return Buffer.from(headers.get(names.mac) ?? '', 'hex');
}

const names = {
  kind: 'Edge-Kind',
  generation: 'Edge-Generation',
  firstLsn: 'Edge-First-Lsn',
  lastLsn: 'Edge-Last-Lsn',
  term: 'Edge-Term',
  nonce: 'Edge-Nonce',
  crcBefore: 'Edge-Crc-Before',
  crc: 'Edge-Crc',
  mac: 'Edge-Mac',
} as const;

/** In the order of the MAC's input. */
const authenticated = Object.values(names).filter((name) => name !== names.mac);

const groupKinds: readonly GroupKind[] = ['frames', 'term', 'heartbeat', 'resign'];

/** The longest header that a group has is its MAC. @bound */
const headerCharactersMax = 64;

const decimal = /^(?:0|[1-9]\d*)$/;
const hex8 = /^[0-9a-f]{8}$/;
const hex32 = /^[0-9a-f]{32}$/;
const hex64 = /^[0-9a-f]{64}$/;

function crcText(crc: number): string {
  return crc.toString(16).padStart(8, '0');
}

function crcFrom(text: string): number {
  return Number.parseInt(text, 16);
}

// No value has a line break, so no two groups have the same input.
function macOf(
  headers: ReadonlyMap<string, string>,
  sequence: StreamSequence,
  body: Uint8Array,
  key: Uint8Array,
): Buffer {
  const lines = ['edge-control group 1', `${sequence}`];
  for (const name of authenticated) lines.push(headers.get(name) ?? '');
  return createHmac('sha256', key)
    .update(`${lines.join('\n')}\n`)
    .update(body)
    .digest();
}

/** What is wrong with the frames of a group. */
function framesFault(group: Group, seed: number): string | undefined {
  const { kind, after, last, frames } = group;
  let { lsn, crc }: LogPoint = after;
  for (let at = 0; at < frames.length; at += frameBytesAt(frames, at)) {
    const frame = readFrame(frames, at, seed);
    if (frame === undefined) return `its bytes after LSN ${lsn} are no frame`;
    if (frame.lsn !== lsn + 1) return `LSN ${frame.lsn} comes after ${lsn}`;
    if (frame.previousCrc !== crc) return `LSN ${frame.lsn} does not follow the frame before it`;
    if (!isKnownFrame(frame))
      return `LSN ${frame.lsn} is of a kind that this release does not know`;
    const payload = frames.subarray(at + frameHeaderBytes, at + frame.length);
    const isTerm = frame.kind === frameKinds.term;
    if (isTerm !== (kind === 'term') || (isTerm && !isTermOf(group, payload))) {
      return `LSN ${frame.lsn} does not fit a group of kind ${kind}`;
    }
    [lsn, crc] = [frame.lsn, frame.crc];
  }
  if (lsn !== last.lsn || crc !== last.crc) {
    return `its frames end with LSN ${lsn}, its headers say ${last.lsn}`;
  }
  const count = lsn - after.lsn;
  const fits = kind === 'frames' ? count > 0 : count === (kind === 'term' ? 1 : 0);
  return fits ? undefined : `it has ${count} frames, which does not fit kind ${kind}`;
}

function isTermOf({ term, nonce }: Group, payload: Uint8Array): boolean {
  try {
    const content = unpackTerm(payload);
    return content.term === term && content.nonce === nonce;
  } catch {
    return false;
  }
}
