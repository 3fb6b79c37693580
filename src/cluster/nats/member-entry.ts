// The text of members, marks and formats. It was written by other nodes, maybe of other releases,
// or by anybody who may write to the bucket: what does not have the form is as if it were not
// there.

import Type, { type Static, type TSchema } from 'typebox';
import { Check } from 'typebox/value';
import { nodeNamePattern } from '../../settings/cluster-config.ts';
import { addressesMax } from '../../settings/setting-type.ts';
import type { Formats, HighWaterMark, Member } from '../membership.ts';

const id = Type.String({ pattern: '^[A-Za-z0-9_-]{1,64}$' });
const count = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });
const crc = Type.Integer({ minimum: 0, maximum: 0xffff_ffff });
const address = Type.String({ maxLength: 300 });
const point = Type.Object({ lsn: count, crc });
const roles = ['recovering', 'following', 'standing', 'leading', 'isolated', 'halted'] as const;
const shortName = Type.String({ maxLength: 64 });

const bound = Type.Object({
  of: address,
  usedBytes: count,
  bytesMax: count,
  copies: Type.Integer({ minimum: 1, maximum: 5 }),
});

/** It has a bound of each server in `cluster.monitoring`, and that of the account. */
const store = Type.Object({
  streamBytes: count,
  shared: Type.Optional(
    Type.Object({
      lsn: count,
      bytes: count,
      atMs: Type.Optional(count),
      outgrownAtMs: Type.Optional(count),
    }),
  ),
  bounds: Type.Array(bound, { maxItems: addressesMax + 1 }),
  unsafe: Type.Optional(Type.String({ maxLength: 2000 })),
});

const condition = Type.Object({
  lagMs: Type.Number(),
  clockSkewMs: Type.Number(),
  inFlight: count,
  takeovers: count,
  trouble: Type.Optional(Type.String({ maxLength: 2000 })),
  localLog: Type.Optional(Type.String({ maxLength: 2000 })),
  store: Type.Optional(store),
  sharesFailed: Type.Optional(count),
});

const formatsSchema = Type.Record(shortName, count, { maxProperties: 200 });

const memberSchema = Type.Object({
  id,
  name: Type.Optional(Type.String({ pattern: nodeNamePattern })),
  leads: Type.Optional(Type.Literal('never')),
  version: shortName,
  formats: formatsSchema,
  advertised: address,
  control: Type.Optional(address),
  internal: address,
  role: Type.Enum(roles),
  generation: count,
  term: count,
  last: point,
  keys: Type.Record(shortName, Type.String({ maxLength: 200 }), { maxProperties: 20 }),
  settingsHash: Type.String({ maxLength: 20_000 }),
  condition: Type.Optional(condition),
  atMs: count,
});

const markSchema = Type.Object({ id, generation: count, term: count, lsn: count, crc });

/**
 * The text of a member. Without what it knows of the store if that does not have the form: nobody
 * would read the entry, and the node would count as gone.
 */
export function memberText(member: Member): string {
  const text = JSON.stringify(member);
  if (member.condition?.store === undefined || readMember(text) !== undefined) return text;
  return JSON.stringify({ ...member, condition: { ...member.condition, store: undefined } });
}

/** A member; undefined if the text is none. */
export function readMember(text: string): Member | undefined {
  const found = read(text, memberSchema);
  if (found === undefined) return undefined;
  const { condition: told, ...member } = found;
  if (told === undefined) return member;
  const { store: kept, ...rest } = told;
  const known = kept && { ...kept, shared: kept.shared };
  return {
    ...member,
    condition: { trouble: undefined, localLog: undefined, ...rest, store: known },
  };
}

/** The formats of a cluster; undefined if the text tells none. */
export function readFormats(text: string): Formats | undefined {
  return read(text, formatsSchema);
}

/** A high-water mark; undefined if the text is none. */
export function readMark(text: string): HighWaterMark | undefined {
  return read(text, markSchema);
}

function read<T extends TSchema>(text: string, schema: T): Static<T> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return Check(schema, value) ? value : undefined;
  } catch {
    return undefined;
  }
}
