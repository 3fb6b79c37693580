// The whole network of the peer as records of a home, one after the other: memory holds what later
// records are checked against, and none of the records.

import type { Kind } from '../../declare/kinds/kind.ts';
import { identityTypeKind } from '../../records/identity-type.ts';
import { postureCheckTypeKind } from '../../records/posture-check-type.ts';
import { builtInRecords } from '../../resources/configs/built-in/index.ts';
import type { PeerEntity } from '../peer/entity.ts';
import { SourceDamaged, SourceRefused } from '../source-problem.ts';
import { areKept } from './api-sessions.ts';
import type {
  Conversion,
  ConversionContext,
  ConversionOptions,
  ConvertedRecord,
} from './conversion.ts';
import { FoundRecords } from './found.ts';
import { conversions, sessionConversions } from './index.ts';
import { LeftOut } from './left-out.ts';
import { CollectedNotes } from './notes.ts';
import { reportOtherBuckets } from './other-buckets.ts';
import { quoted } from './quoted.ts';
import { withoutLostReferences } from './references.ts';
import { UniqueKeys } from './unique-keys.ts';
import { builtInRecord, wholeRecord } from './whole-record.ts';
import { nameRefusedValues } from './write-rules.ts';

/** The schemas whose buckets and fields are known. */
const [oldestSchema, newestSchema] = [36, 49];

/**
 * All records of the new home but those that a first start writes with its own keys. The report is
 * complete when the last one has been taken.
 * @throws SourceRefused for a schema that is too old; SourceDamaged for a file that cannot be
 *   walked through, while an entity that cannot be read is only named
 */
export function* convertedRecords(options: ConversionOptions): Generator<ConvertedRecord> {
  const { network, report, nowMs } = options;
  checkSchema(options);
  const found = new FoundRecords(network);
  const run = new Run(options, found);
  yield* run.builtIn(identityTypeKind);
  yield* run.builtIn(postureCheckTypeKind);
  for (const conversion of conversions) yield* run.all(conversion);
  reportOtherBuckets(network, report, found.newestTime);
  for (const { bucket } of sessionConversions) {
    for (const entity of network.entities(bucket)) found.newestTime.note(entity);
  }
  report.stopped(found.newestTime.before(nowMs), areKept({ ...options, found }));
  for (const conversion of sessionConversions) yield* run.all(conversion);
  if (!found.logins.canLogIn(nowMs)) {
    report.stop({
      what: 'administrator',
      text: 'No administrator of the network could log in to the new home.',
    });
  }
}

function checkSchema({ network, report }: ConversionOptions): void {
  const { schema } = network;
  if (schema < oldestSchema) {
    throw new SourceRefused(
      `The database has schema ${schema}, and ${oldestSchema} is the oldest that can be taken ` +
        'over: upgrade the network with OpenZiti first.',
    );
  }
  if (schema > newestSchema) {
    report.stop({
      what: 'newer-schema',
      text: `The database has schema ${schema}, and ${newestSchema} is the newest that is known.`,
    });
  }
}

/** One run over all conversions. */
class Run {
  readonly #found: FoundRecords;
  readonly #options: ConversionOptions;
  readonly #context: ConversionContext;
  readonly #keys = new UniqueKeys();
  /** Ids of the records of each kind whose conversion has begun. */
  readonly #ids = new Map<string, Set<string>>();

  constructor(options: ConversionOptions, found: FoundRecords) {
    this.#options = options;
    this.#found = found;
    this.#context = { ...options, found, has: (kind, id) => this.#has(kind, id) };
  }

  /** The records of one bucket, and the built-in ones of its kind. */
  *all(conversion: Conversion): Generator<ConvertedRecord> {
    yield* this.#convert(conversion);
    yield* this.builtIn(conversion.kind, conversion);
    // No later conversion asks for them.
    this.#keys.forget(conversion.kind);
  }

  *#convert(conversion: Conversion): Generator<ConvertedRecord> {
    const { bucket, kind } = conversion;
    this.#idsOf(kind);
    for (const entity of this.#options.network.entities(bucket)) {
      this.#options.report.read(bucket);
      this.#found.newestTime.note(entity);
      const record = this.#recordOf(conversion, entity);
      if (record === undefined) continue;
      this.#idsOf(kind).add(record.id);
      conversion.taken?.(record, this.#found);
      this.#options.report.taken(bucket);
      yield { kind: kind.kind, record };
    }
  }

  /** The built-in records of a kind that the network does not have. */
  *builtIn(kind: Kind, conversion?: Conversion): Generator<ConvertedRecord> {
    const ids = this.#idsOf(kind);
    for (const { kind: name, record: own } of builtInRecords) {
      if (name !== kind.kind || ids.has(own.id)) continue;
      let record = builtInRecord(kind, own, this.#options.nowMs);
      if (this.#keys.take(kind, record) instanceof LeftOut) {
        // Others refer to it by its id, so its name gives way.
        record = this.#renamed(conversion, own, record);
        this.#keys.take(kind, record);
      }
      ids.add(own.id);
      conversion?.taken?.(record, this.#found);
      yield { kind: name, record };
    }
  }

  #renamed(
    conversion: Conversion | undefined,
    { id, name }: { readonly id: string; readonly name: string },
    record: ConvertedRecord['record'],
  ): ConvertedRecord['record'] {
    const other = `${name} (${id})`;
    const text = `The built-in record with this id becomes ${quoted(other)}: its name is taken.`;
    this.#options.report.kept({ bucket: conversion?.bucket ?? '', id, name, text });
    return { ...record, name: other };
  }

  /** Undefined for an entity that is left out or damaged, which the report says. */
  #recordOf(conversion: Conversion, entity: PeerEntity): ConvertedRecord['record'] | undefined {
    const { report } = this.#options;
    const notes = new CollectedNotes();
    const { bucket } = conversion;
    const about = { bucket, id: entity.id };
    try {
      const record = this.#checked(conversion, entity, notes);
      const name = nameIn(conversion, entity);
      if (record instanceof LeftOut) {
        const { reason: text, stop } = record;
        if (stop !== undefined)
          report.stop({ what: stop, text: `${bucket} ${quoted(entity.id)}: ${text}` });
        report.leftOut({ ...about, name, text });
        return undefined;
      }
      notes.writeTo(report, { ...about, name });
      for (const field of entity.unread()) report.unknown(bucket, field);
      return record;
    } catch (error) {
      if (!(error instanceof SourceDamaged)) throw error;
      report.damaged({ ...about, text: error.message });
      return undefined;
    }
  }

  #checked(
    conversion: Conversion,
    entity: PeerEntity,
    notes: CollectedNotes,
  ): ConvertedRecord['record'] | LeftOut {
    const { kind } = conversion;
    const whole = wholeRecord(conversion, entity, this.#context, notes);
    if (whole instanceof LeftOut) return whole;
    const record = withoutLostReferences(kind, whole, this.#context.has, notes);
    if (record instanceof LeftOut) return record;
    const taken = this.#keys.take(kind, record, conversion.stops);
    if (taken !== undefined) return taken;
    nameRefusedValues(kind, record, notes);
    return record;
  }

  /** Kinds refer to each other in circles: those that come later are looked up in the source. */
  #has(kind: string, id: string): boolean {
    const ids = this.#ids.get(kind);
    if (ids !== undefined) return ids.has(id);
    const bucket = [...conversions, ...sessionConversions].find(
      (one) => one.kind.kind === kind,
    )?.bucket;
    return bucket !== undefined && this.#options.network.entity(bucket, id) !== undefined;
  }

  #idsOf({ kind }: Kind): Set<string> {
    let ids = this.#ids.get(kind);
    if (ids === undefined) this.#ids.set(kind, (ids = new Set()));
    return ids;
  }
}

function nameIn({ kind }: Conversion, entity: PeerEntity): string | undefined {
  return 'name' in kind.fields ? entity.text('name') : undefined;
}
