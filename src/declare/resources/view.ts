// The view of a record in answers: own fields, serialised once and kept as bytes, and joined
// fields, added per request.

import { type CacheBudget, RecentCache } from '../../containers/recent-cache.ts';
import type { RecordBase } from '../../store/record.ts';
import type { Field, Fields } from '../kinds/field.ts';
import type { Kind, RecordOf } from '../kinds/kind.ts';
import { type ApiName, perApi } from '../operations/apis.ts';

/** The part of a request that a view reads; joined fields may read more. */
interface ViewContext {
  readonly api: ApiName;
}

/** The text of a joined field: `Joined` of a resource, as a view needs it. */
interface JoinedText<R, C> {
  readonly keptText?: string;
  text(record: R, context: C): string | undefined;
}

/** The parts of a resource that its view depends on. */
interface ViewedResource<F extends Fields, C> {
  readonly kind: Kind<F>;
  readonly path: string;
  /** The fields as the resource shows them; those of the kind when absent. */
  readonly fields?: Fields;
  readonly isBare?: boolean;
  tagsOf?(record: RecordOf<F>): Readonly<Record<string, unknown>>;
  readonly links?: Readonly<Record<string, string>>;
  linksOf?(record: RecordOf<F>): Readonly<Record<string, string>>;
  readonly joined?: Readonly<Record<string, JoinedText<RecordOf<F>, C>>>;
  readonly hidden?: readonly string[];
}

/**
 * The weight of a cached text besides its own bytes: its key is a record, which stays in memory
 * after it was replaced or deleted.
 */
const heldRecordBytes = 256;

/** A placeholder for the id of a record; it occurs in no path. */
const idPlace = '\0';

/** A record of a kind that has names, or of one that has none. */
type Named = RecordBase & { readonly name?: unknown };

/**
 * Paths that answer GET, by API, with `{}` for each parameter. A link to anything else is left out.
 */
export type LinkTargets = Readonly<Record<ApiName, ReadonlySet<string>>>;

type JoinedTexts = readonly (string | undefined)[];

/** A record as it was last shown. */
interface ShownRecord {
  /** The own fields as an object without its closing brace. */
  own: Buffer;
  /** Of each joined field in order; `notShown` until the record was shown with them. */
  joined: JoinedTexts;
  /** The whole text, once the joined fields were the same twice in a row. */
  whole: Buffer | undefined;
}

/** The texts of one API, which differ from those of the others in their links. */
interface ApiTexts {
  readonly cache: RecentCache<RecordBase, ShownRecord>;
  readonly references: RecentCache<RecordBase, string>;
  /** The links of each record, split at its id; undefined if the record has no page of its own. */
  readonly linkParts: readonly string[] | undefined;
}

/**
 * One view of one kind, for requests of the form `C`. Records are values, so a record is the key of
 * its own bytes.
 */
export class View<F extends Fields, C extends ViewContext> {
  readonly #options: ViewedResource<F, C>;
  readonly #textsOf: Readonly<Record<ApiName, ApiTexts>>;
  /** Each joined field with the text before it. */
  readonly #joined: readonly (readonly [string, JoinedText<RecordOf<F>, C>])[];

  constructor(options: ViewedResource<F, C>, cacheBytes: CacheBudget, targets: LinkTargets) {
    this.#options = options;
    this.#textsOf = perApi((api) => ({
      cache: new RecentCache(cacheBytes, weightOf),
      references: new RecentCache(cacheBytes, (text) => heldRecordBytes + text.length),
      linkParts: linkPartsOf(options, targets[api]),
    }));
    this.#joined = Object.entries<JoinedText<RecordOf<F>, C>>(options.joined ?? {}).map(
      ([name, joined]) => [`,"${name}":`, joined] as const,
    );
  }

  /** The JSON text of a record, in chunks. */
  chunks(record: RecordOf<F>, context: C): [Uint8Array] | [own: Uint8Array, joined: string] {
    const shown = this.#shown(record, context.api);
    const joined = this.#joinedTexts(shown.joined, record, context);
    const isSame = joined === shown.joined;
    if (isSame && shown.whole !== undefined) return [shown.whole];
    const text = `${this.#joined.map(([start], at) => fieldText(start, joined[at])).join('')}}`;
    if (!isSame) {
      if (this.#mayKeep(joined)) {
        shown.joined = joined;
        // A view would keep the whole in memory.
        if (shown.whole !== undefined) shown.own = Buffer.from(shown.own);
        shown.whole = undefined;
      }
      return [shown.own, text];
    }
    const whole = Buffer.concat([shown.own, Buffer.from(text)]);
    shown.own = whole.subarray(0, shown.own.length);
    shown.whole = whole;
    this.#textsOf[context.api].cache.set(record, shown);
    return [whole];
  }

  #mayKeep(texts: JoinedTexts): boolean {
    return this.#joined.every(([, { keptText }], at) => (keptText ?? texts[at]) === texts[at]);
  }

  /** The joined fields; the same array as `before` if they are the same. */
  #joinedTexts(before: JoinedTexts, record: RecordOf<F>, context: C): JoinedTexts {
    let texts: (string | undefined)[] | undefined;
    for (let at = 0; at < this.#joined.length; at++) {
      const text = this.#joined[at]?.[1].text(record, context);
      if (texts === undefined && text === before[at]) continue;
      texts ??= before.slice(0, at);
      texts.push(text);
    }
    return texts ?? before;
  }

  /** The own fields as an object without its closing brace. */
  own(record: RecordOf<F>, api: ApiName): Buffer {
    return this.#shown(record, api).own;
  }

  #shown(record: RecordOf<F>, api: ApiName): ShownRecord {
    const { cache } = this.#textsOf[api];
    let shown = cache.get(record);
    if (shown === undefined) {
      const own = Buffer.from(this.#ownText(record, api));
      shown = { own, joined: notShown, whole: undefined };
      cache.set(record, shown);
    }
    return shown;
  }

  /** The record as an EntityRef (behaviour/answers#references). */
  reference(record: RecordOf<F>, api: ApiName = 'management'): string {
    const { references } = this.#textsOf[api];
    let text = references.get(record);
    if (text === undefined) {
      const { name }: Named = record;
      const label = name === undefined ? '' : `,"name":${JSON.stringify(name)}`;
      const links = this.links(record, api);
      const rest = `,"entity":"${this.#options.path}","id":"${record.id}"${label}}`;
      // Joined, because V8 keeps a concatenation as a tree of its parts.
      text = ['{"_links":', links, rest].join('');
      references.set(record, text);
    }
    return text;
  }

  /** The record's `_links` as JSON text. */
  links(record: RecordOf<F>, api: ApiName): string {
    const { linkParts } = this.#textsOf[api];
    if (linkParts === undefined) return '{}';
    let text = linkParts.join(record.id);
    for (const [name, href] of Object.entries(this.#options.linksOf?.(record) ?? {})) {
      text += `,"${name}":{"href":"${href}"}`;
    }
    return `${text}}`;
  }

  #ownText(record: RecordOf<F>, api: ApiName): string {
    const { kind, hidden } = this.#options;
    const { fields = kind.fields } = this.#options;
    let text = this.#baseText(record, api);
    for (const name of kind.fieldNames) {
      const field: Field | undefined = fields[name];
      if (field === undefined || field.show === 'never' || hidden?.includes(name)) {
        continue;
      }
      const value = field.toJson(record[name]);
      const shown = field.as ?? name;
      if (value !== undefined) text += `,"${shown}":${JSON.stringify(value)}`;
      else if (field.show === 'always') text += `,"${shown}":null`;
    }
    return text;
  }

  /** The fields of every entity as the beginning of an object. */
  #baseText(record: RecordOf<F>, api: ApiName): string {
    const { isBare, tagsOf } = this.#options;
    // Ids of bare records are not ours, so they may hold anything.
    if (isBare) return `{"id":${JSON.stringify(record.id)}`;
    return (
      `{"_links":${this.links(record, api)},"createdAt":"${isoTime(record.createdAt)}",` +
      `"id":"${record.id}","tags":${JSON.stringify(tagsOf?.(record) ?? record.tags)},` +
      `"updatedAt":"${isoTime(record.updatedAt)}"`
    );
  }
}

/** Joined texts are weighed once they are part of the whole, so twice there. */
function weightOf({ own, whole }: ShownRecord): number {
  return heldRecordBytes + (whole === undefined ? own.length : 2 * whole.length - own.length);
}

/** No text equals it, so that a record is shown for the first time. */
const notShown: JoinedTexts = [''];

function fieldText(start: string, value: string | undefined): string {
  return value === undefined ? '' : start + value;
}

function linkPartsOf(
  { path, links = {} }: Pick<ViewedResource<Fields, unknown>, 'path' | 'links'>,
  targets: ReadonlySet<string>,
): readonly string[] | undefined {
  if (!targets.has(`/${path}/{}`)) return undefined;
  const further = Object.entries(links)
    .filter(([, suffix]) => targets.has(`/${path}/{}/${suffix}`))
    .map(([name, suffix]) => `,"${name}":{"href":"./${path}/${idPlace}/${suffix}"}`);
  return `{"self":{"href":"./${path}/${idPlace}"}${further.join('')}`.split(idPlace);
}

/** RFC 3339 in UTC with milliseconds (behaviour/answers#times). */
export function isoTime(ms: number): string {
  if (ms === lastTime.ms) return lastTime.text;
  const found = ms === timeBefore.ms ? timeBefore : { ms, text: new Date(ms).toISOString() };
  timeBefore = lastTime;
  lastTime = found;
  return found.text;
}

/** Like `isoTime`; if there is no time, the zero time of OpenZiti's clients. */
export function isoTimeOrZero(ms: number | undefined): string {
  return ms === undefined ? '0001-01-01T00:00:00.000Z' : isoTime(ms);
}

/**
 * The two times that were last shown: nearly all answers show the present millisecond several
 * times, many also the time at which a session expires.
 */
let lastTime = { ms: Number.NaN, text: '' };
let timeBefore = lastTime;
