// The directory of the nodes: entries of a key-value bucket.

import { headers } from '@nats-io/transport-node';
import type { Formats, HighWaterMark, Member, Members } from '../contract.ts';
import type { Connected, NatsLink } from './link.ts';
import { readFormats, readMark, readMember } from './member-entry.ts';
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

const haltKey = 'halt';
const formatsKey = 'formats';
const markPrefix = 'mark';
const memberPrefix = 'member';
const removedPrefix = 'removed';

/** What the server does with an entry. */
interface PutOptions {
  /** The entry must not be there yet. */
  readonly isFirst?: boolean;
  readonly expiresSeconds?: number;
}

/**
 * `Members` on a key-value bucket. All reads are answered by the leader of its stream; those of a
 * key-value client may come from a copy that is behind.
 */
export class NatsMembers implements Members {
  readonly #link: NatsLink;
  readonly #bucket: string;

  constructor(link: NatsLink, dataSet: DataSet) {
    this.#link = link;
    this.#bucket = membersBucket(dataSet);
  }

  async put(member: Member): Promise<void> {
    const text = JSON.stringify(member);
    await this.#put(`${memberPrefix}.${member.id}`, text, { expiresSeconds: memberSeconds });
  }

  async list(): Promise<readonly Member[]> {
    return await this.#all(memberPrefix, readMember);
  }

  async raiseMark(mark: HighWaterMark): Promise<void> {
    // Only the node itself writes it, one call after the other.
    const key = `${markPrefix}.${mark.id}`;
    const text = await this.#get(key);
    const before = text === undefined ? undefined : readMark(text);
    if (before === undefined || isBelow(before, mark)) await this.#put(key, JSON.stringify(mark));
  }

  async marks(): Promise<readonly HighWaterMark[]> {
    return await this.#all(markPrefix, readMark);
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
    await this.#link.ask(async ({ api }) => {
      const subject = keySubject(this.#bucket, key);
      await api.jetstream().publish(subject, text, { headers: sent });
    });
  }

  async #get(key: string): Promise<string | undefined> {
    const subject = keySubject(this.#bucket, key);
    return await this.#link.look((connected) => this.#value(connected, subject));
  }

  async #value({ api }: Connected, subject: string): Promise<string | undefined> {
    const query = { last_by_subj: subject };
    const stored = await api.streams.getMessage(keyValueStream(this.#bucket), query);
    // Deleted through a key-value client: a message without content that says so.
    if (stored === null || stored.header.has('KV-Operation')) return undefined;
    return stored.string();
  }

  async #all<T>(prefix: string, read: (text: string) => T | undefined): Promise<readonly T[]> {
    return await this.#link.look(async (connected) => {
      const subjects = await this.#subjects(connected, prefix);
      const found: T[] = [];
      for (const subject of subjects.slice(0, memberEntriesMax)) {
        const text = await this.#value(connected, subject);
        const entry = text === undefined ? undefined : read(text);
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

/** Whether a mark is below another: by generation, then LSN, then term. */
function isBelow(one: HighWaterMark, other: HighWaterMark): boolean {
  if (one.generation !== other.generation) return one.generation < other.generation;
  if (one.lsn !== other.lsn) return one.lsn < other.lsn;
  return one.term < other.term;
}
