// The directory of the nodes: entries of a key-value bucket.

import { headers } from '@nats-io/transport-node';
import type { ListedMembers } from '../access.ts';
import type { Formats, HighWaterMark, Member } from '../membership.ts';
import { StoreFull, StreamUnreachable } from '../stream.ts';
import { apiErrors, isApiError, isUnanswered, reasonOf } from './failure.ts';
import type { Connected, NatsLink } from './link.ts';
import { memberText, readFormats, readMark } from './member-entry.ts';
import {
  areSealed,
  type EvaluatedMembers,
  MemberSeal,
  memberKey,
  type StoredEntry,
} from './member-seal.ts';
import { type DataSet, keySubject, keyValueStream, membersBucket } from './names.ts';

/**
 * How long a node that says nothing is still a member, in seconds: a rolling upgrade looks at the
 * nodes of the last day.
 */
const memberSeconds = 24 * 60 * 60;

/**
 * Nodes that are listed at most: a cluster has a handful.
 * @bound
 */
const memberEntriesMax = 100;

/** Removed nodes that are known at most: machines are replaced now and then. @bound */
const removedEntriesMax = 1000;

/** Longest reason of a halt that is written. @bound */
const haltReasonLengthMax = 1000;

/**
 * Attempts to write an entry at the end of the directory. A few nodes write there once per 5 s, so
 * that two in a row hardly ever meet others. @bound
 */
const putTriesMax = 8;

const haltKey = 'halt';
const formatsKey = 'formats';
const markPrefix = 'mark';
const memberPrefix = 'member';
const removedPrefix = 'removed';
/** Its value replaces the one before, and nobody reads it. */
const probeKey = 'probe';
const macHeader = 'Edge-Mac';
/** As the largest entries have. */
const probeBytes = 4096;

/** Conditions under which the server takes an entry, and what it stores with it. */
interface PutOptions {
  /** The entry must not be there yet. */
  readonly isFirst?: boolean;
  readonly expiresSeconds?: number;
  /** The stream of the bucket must end with this message. */
  readonly expectedLast?: number;
  readonly mac?: string;
}

/**
 * The directory on a key-value bucket. All reads are answered by the leader of its stream; those of
 * a key-value client may come from a copy that is behind.
 */
export class NatsMembers implements ListedMembers {
  readonly #link: NatsLink;
  readonly #bucket: string;
  readonly #seal: MemberSeal;

  /** @param sealingKey the content of `pki/sealing.key`, which all nodes share */
  constructor(link: NatsLink, dataSet: DataSet, sealingKey: Buffer) {
    this.#link = link;
    this.#bucket = membersBucket(dataSet);
    this.#seal = new MemberSeal(this.#bucket, sealingKey);
  }

  async put(member: Member): Promise<void> {
    const [key, text] = [memberKey(member.id), memberText(member)];
    for (let tries = 1; ; tries++) {
      const expectedLast = await this.#lastSequence();
      const mac = this.#seal.macOf(key, expectedLast + 1, text);
      try {
        await this.#put(key, text, { expiresSeconds: memberSeconds, expectedLast, mac });
        return;
      } catch (thrown) {
        if (!isOvertaken(thrown) || tries >= putTriesMax) throw thrown;
      }
    }
  }

  async list(): Promise<readonly Member[]> {
    return (await this.#evaluated()).counted;
  }

  async uncounted(): Promise<readonly Member[]> {
    return (await this.#evaluated()).uncounted;
  }

  async probe(): Promise<string | undefined> {
    try {
      await this.#put(probeKey, ' '.repeat(probeBytes));
      return undefined;
    } catch (thrown) {
      const { cause } = thrown instanceof StreamUnreachable ? thrown : {};
      // Where nobody was heard of, a stream without a leader is most likely one of full servers.
      if (thrown instanceof StoreFull || isUnanswered(cause)) return reasonOf(thrown);
      throw thrown;
    }
  }

  async raiseMark(mark: HighWaterMark): Promise<void> {
    // Only the node itself writes it, one call after the other.
    const key = `${markPrefix}.${mark.id}`;
    const text = await this.#get(key);
    const before = text === undefined ? undefined : readMark(text);
    if (before === undefined || isBelow(before, mark)) await this.#put(key, JSON.stringify(mark));
  }

  async marks(): Promise<readonly HighWaterMark[]> {
    const stored = await this.#stored(markPrefix);
    return stored.flatMap(({ text }) => readMark(text) ?? []);
  }

  async halt(): Promise<string | undefined> {
    return await this.#get(haltKey);
  }

  async writeHalt(reason: string): Promise<void> {
    // The first reason is the cause; those of other nodes follow from it.
    const isFirst = (await this.#get(haltKey)) === undefined;
    if (!isFirst) return;
    try {
      await this.#put(haltKey, reason.slice(0, haltReasonLengthMax), { isFirst: true });
    } catch (thrown) {
      if ((await this.#get(haltKey)) === undefined) throw thrown;
    }
  }

  async formats(): Promise<Formats | undefined> {
    const text = await this.#get(formatsKey);
    return text === undefined ? undefined : readFormats(text);
  }

  async beginFormats(formats: Formats): Promise<Formats> {
    try {
      await this.#put(formatsKey, JSON.stringify(formats), { isFirst: true });
      return formats;
    } catch (thrown) {
      const found = await this.formats();
      if (found === undefined) throw thrown;
      return found;
    }
  }

  async finalizeFormats(formats: Formats): Promise<void> {
    await this.#put(formatsKey, JSON.stringify(formats));
  }

  async remove(id: string): Promise<void> {
    // First, so that a node that runs nevertheless cannot write its entry again for good.
    await this.#put(`${removedPrefix}.${id}`, '{}');
    await this.#link.ask(async (connected) => {
      for (const prefix of [memberPrefix, markPrefix]) {
        const filter = keySubject(this.#bucket, `${prefix}.${id}`);
        await connected.api.streams.purge(keyValueStream(this.#bucket), { filter });
      }
    });
  }

  async removed(): Promise<readonly string[]> {
    const subjects = await this.#link.look((connected) => this.#subjects(connected, removedPrefix));
    return subjects
      .slice(0, removedEntriesMax)
      .map((subject) => subject.slice(subject.lastIndexOf('.') + 1));
  }

  async #put(key: string, text: string, options: PutOptions = {}): Promise<void> {
    const sent = headers();
    if (options.isFirst === true) sent.set('Nats-Expected-Last-Subject-Sequence', '0');
    if (options.expiresSeconds !== undefined) sent.set('Nats-TTL', `${options.expiresSeconds}s`);
    if (options.expectedLast !== undefined) {
      sent.set('Nats-Expected-Last-Sequence', `${options.expectedLast}`);
    }
    if (options.mac !== undefined) sent.set(macHeader, options.mac);
    await this.#link.ask(async ({ api }) => {
      const subject = keySubject(this.#bucket, key);
      await api.jetstream().publish(subject, text, { headers: sent });
    });
  }

  async #evaluated(): Promise<EvaluatedMembers> {
    const formats = await this.formats();
    return this.#seal.evaluate(await this.#stored(memberPrefix), areSealed(formats));
  }

  async #lastSequence(): Promise<number> {
    const stream = keyValueStream(this.#bucket);
    const info = await this.#link.look(({ api }) => api.streams.info(stream));
    return info.state.last_seq;
  }

  async #get(key: string): Promise<string | undefined> {
    return (await this.#link.look((connected) => this.#value(connected, key)))?.text;
  }

  async #value({ api }: Connected, key: string): Promise<StoredEntry | undefined> {
    const query = { last_by_subj: keySubject(this.#bucket, key) };
    const stored = await api.streams.getMessage(keyValueStream(this.#bucket), query);
    // Deleted through a key-value client: a message without content that says so.
    if (stored === null || stored.header.has('KV-Operation')) return undefined;
    const mac = stored.header.get(macHeader);
    return { key, sequence: stored.seq, text: stored.string(), mac };
  }

  /** Entries that are known come first: others must not crowd them out. */
  async #stored(prefix: string): Promise<readonly StoredEntry[]> {
    return await this.#link.look(async (connected) => {
      const names = await this.#subjects(connected, prefix);
      const keys = names.map((subject) => subject.slice(keySubject(this.#bucket, '').length));
      const isKnown = (key: string) => this.#seal.knows(key);
      const inOrder = [...keys.filter(isKnown), ...keys.filter((key) => !isKnown(key))];
      const found: StoredEntry[] = [];
      for (const key of inOrder.slice(0, memberEntriesMax)) {
        const entry = await this.#value(connected, key);
        if (entry !== undefined) found.push(entry);
      }
      return found;
    });
  }

  async #subjects({ api }: Connected, prefix: string): Promise<string[]> {
    const filter = keySubject(this.#bucket, `${prefix}.>`);
    const info = await api.streams.info(keyValueStream(this.#bucket), { subjects_filter: filter });
    return Object.keys(info.state.subjects ?? {}).sort();
  }
}

/** Whether another entry came to the place for which this one was sealed. */
function isOvertaken(thrown: unknown): boolean {
  const { cause } = thrown instanceof StreamUnreachable ? thrown : {};
  const codes = [apiErrors.wrongLastSequence, apiErrors.wrongLastSequenceUnknown];
  return codes.some((code) => isApiError(cause, code));
}

/** Whether a mark is below another: by generation, then LSN, then term. */
function isBelow(one: HighWaterMark, other: HighWaterMark): boolean {
  if (one.generation !== other.generation) return one.generation < other.generation;
  if (one.lsn !== other.lsn) return one.lsn < other.lsn;
  return one.term < other.term;
}
