// Server-sent events, as the audit feed sends them (WHATWG HTML, "Server-sent events").

/** One event, or the position alone. */
export interface FeedEvent {
  /** The last `id` so far: where a reader that reconnects goes on. Empty before the first one. */
  readonly id: string;
  /** `message` unless the event names its type. */
  readonly event: string;
  /** Empty where only the position was sent. */
  readonly data: string;
}

/** A line of the audit feed is one frame of the log, of which none is longer. @bound */
const lineCharactersMax = 64 * 1024 * 1024;

/** The events in a stream of UTF-8. @throws Error for a line without an end */
export async function* feedEvents(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<FeedEvent> {
  const decoder = new TextDecoder();
  let rest = '';
  let id = '';
  let event = 'message';
  let data: string[] = [];
  for await (const chunk of chunks) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split(/\r?\n/);
    rest = lines.pop() ?? '';
    if (rest.length > lineCharactersMax) throw new Error('a line of the feed is too long');
    for (const line of lines) {
      if (line === '') {
        yield { id, event, data: data.join('\n') };
        event = 'message';
        data = [];
        continue;
      }
      const [, name, value = ''] = /^([^:]*):? ?(.*)$/s.exec(line) ?? [];
      if (name === 'id') id = value;
      else if (name === 'event') event = value;
      else if (name === 'data') data.push(value);
    }
  }
}
