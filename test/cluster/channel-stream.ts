// The stream behind `fixtures/channel-connections.ts`, in the thread of the test.

import { BroadcastChannel } from 'node:worker_threads';
import { type GroupTrust, groupMessage, readGroup } from '../../src/cluster/log/group-message.ts';
import type { Group, StreamMessage } from '../../src/cluster/stream.ts';
import type { Question, Traffic } from './fixtures/channel-connections.ts';

/** A stream that takes each message that expects its end. */
export class ChannelStream {
  readonly name: string;
  readonly #trust: GroupTrust;
  readonly #channel: BroadcastChannel;
  readonly #messages: StreamMessage[] = [];
  /** While it is true, no question is answered. */
  isSilent = false;

  constructor(name: string, trust: GroupTrust) {
    this.name = name;
    this.#trust = trust;
    this.#channel = new BroadcastChannel(name);
    this.#channel.onmessage = (event) => {
      const { data } = event as { readonly data: Traffic };
      if (!('question' in data) || this.isSilent) return;
      const answer = this.#answer(data.question);
      this.#channel.postMessage({ id: data.id, answer });
    };
  }

  /** The groups in it. */
  get groups(): readonly Group[] {
    return this.#messages.map((message) => readGroup(message, this.#trust));
  }

  /** Adds a group as some other node. */
  add(group: Group): void {
    const { headers, body } = groupMessage(group, this.#messages.length + 1, this.#trust.key);
    this.#take(headers, body);
  }

  close(): void {
    this.#channel.close();
  }

  #answer(question: Question): unknown {
    switch (question.ask) {
      case 'read':
        return this.#messages[question.sequence - 1];
      case 'state':
        return { first: 1, last: this.#messages.length, configuration: {} };
      case 'publish':
        if (question.expectedLast !== this.#messages.length) return { outcome: 'refused' };
        this.#take(question.headers, Buffer.from(question.body));
        return { outcome: 'acknowledged', sequence: this.#messages.length };
    }
  }

  #take(headers: ReadonlyMap<string, string>, body: Buffer): void {
    const sequence = this.#messages.length + 1;
    this.#messages.push({ sequence, serverTimeMs: Date.now(), headers: new Map(headers), body });
    this.#channel.postMessage({ news: true });
  }
}
