// Server-sent events, however their bytes are cut.

import { t } from 'tap';
import { type FeedEvent, feedEvents } from '../../src/client/event-stream.ts';

async function eventsOf(text: string, size: number): Promise<FeedEvent[]> {
  const bytes = Buffer.from(text);
  async function* chunks() {
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
  }
  const found: FeedEvent[] = [];
  for await (const event of feedEvents(chunks())) found.push(event);
  return found;
}

t.test('events, positions and comments in chunks of any size', async (t) => {
  const text =
    'retry: 1000\n\nid: 7\ndata: {"a":"é: b"}\n\n:\nid: 8\n\nevent: gone\r\nid: 9\r\ndata: x\r\ndata:y\r\n\r\nid: 10\ndata: cut';
  for (let size = 1; size <= text.length; size++) {
    t.same(
      await eventsOf(text, size),
      [
        { id: '', event: 'message', data: '' },
        { id: '7', event: 'message', data: '{"a":"é: b"}' },
        { id: '8', event: 'message', data: '' },
        { id: '9', event: 'gone', data: 'x\ny' },
      ],
      `chunks of ${size}, without the event that was cut off`,
    );
  }
});
