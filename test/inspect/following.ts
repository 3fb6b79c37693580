// Reads an audit feed of a simulated network, event by event.

import { injectAbortable } from '../simulated/inject.ts';
import type { InjectedStream } from '../simulated/injected-stream.ts';
import { type Network, urlOf } from '../simulated/network.ts';

/** One server-sent event. */
export interface SentEvent {
  /** Empty for the usual ones. */
  readonly event: string;
  readonly id: string;
  readonly data: string;
}

/** An open feed. */
export interface Following {
  readonly stream: InjectedStream;
  /** All events with data so far. */
  events(): SentEvent[];
  leave(): void;
}

/** Opens a feed and lets it say what it has to say. @throws what it is refused with. */
export async function follow(
  network: Network,
  query = '',
  headers: Readonly<Record<string, string>> = {},
): Promise<Following> {
  const injection = injectAbortable(network.core.handler, {
    url: urlOf(`M:/audit${query}`),
    headers: { 'zt-session': network.admin, ...headers },
  });
  const refused = injection.answer.then((answer) => {
    throw new Error(`${answer.status} ${answer.body.toString()}`);
  });
  const opened = Promise.race([injection.stream, refused]);
  await network.advance(10);
  const stream = await opened;
  await network.advance(10);
  return { stream, events: () => eventsOf(stream.text), leave: injection.abort };
}

/** The events of a text that is whole, those without data left out. */
export function eventsOf(text: string): SentEvent[] {
  return text
    .split('\n\n')
    .map((block) => {
      const field = (name: string) =>
        block
          .split('\n')
          .find((line) => line.startsWith(`${name}: `))
          ?.slice(name.length + 2) ?? '';
      return { event: field('event'), id: field('id'), data: field('data') };
    })
    .filter(({ data }) => data !== '');
}
