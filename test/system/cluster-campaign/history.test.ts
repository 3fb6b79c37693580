// Histories: each front has to answer the last reads, and sees what was deleted.

import t from 'tap';
import { anotherLook } from '../../real-waits.ts';
import { Api } from '../client.ts';
import { Dice } from '../dice.ts';
import { gone } from './fleeting.ts';
import { History, type Operation } from './history.ts';
import { clientOf, notDone, pretendFront, type Said } from './pretend-front.ts';

t.test('a front that does not answer the last reads is named with its last words', async (t) => {
  const there = { data: { data: { value: 0 } }, meta: { pagination: { totalCount: 1 } } };
  let read: Said = { status: 200, ...there };
  const fronts = await pretendFront(t, ({ method, path }) => {
    if (method !== 'POST') return read;
    const isLogin = path.includes('/authenticate');
    return { status: isLogin ? 200 : 201, data: { id: 'one', token: 'token' } };
  });
  const { http } = clientOf(t, fronts);
  const history = await History.begin(fronts, new Api(http, '', ''), '1');
  await history.readAll(0);
  t.equal(history.operations.length, 3 * (3 + 6 * 3), 'three ways for each of six clients');
  read = notDone;
  const words = /^a record could not be read for 0 ms; at last front 0 said: 503 .*STORAGE/;
  await t.rejects(history.readAll(0), words);
});

t.test('a record that is deleted is seen to be gone in each way', async (t) => {
  const ids = new Set<string>();
  let made = 0;
  const statusOf = (path: string, token: string) => {
    if (path.includes('current-api-session')) return ids.has(token) ? 200 : 401;
    return path.includes('?') || ids.has(path.split('/').at(-1) ?? '') ? 200 : 404;
  };
  const fronts = await pretendFront(t, ({ method, path, token }) => {
    if (method === 'POST') {
      const id = `id-${made++}`;
      ids.add(id);
      return { status: path.includes('/authenticate') ? 200 : 201, data: { id, token: id } };
    }
    if (method === 'DELETE') ids.delete(path.split('/').at(-1) ?? '');
    if (method !== 'GET') return { status: 200 };
    const [, listed] = /"(id-\d+)"/.exec(decodeURIComponent(path)) ?? [];
    const totalCount = ids.has(listed ?? '') ? 1 : 0;
    const data = { data: { value: 0 } };
    return { status: statusOf(path, token), data, meta: { pagination: { totalCount } } };
  });
  const { http } = clientOf(t, fronts);
  const history = await History.begin(fronts, new Api(http, 'id-0', ''), '1');
  const running = history.run((client) => new Dice(String(client)));
  const isDeletion = ({ kind, record }: Operation) => kind === 'write' && !ids.has(record);
  while (history.operations.filter(isDeletion).length < 3) await anotherLook();
  history.stop();
  await running;
  const before = history.operations.length;
  await history.readAll();
  const last = history.operations.slice(before);
  t.ok(last.some(({ value }) => value === gone));
  t.ok(last.every(({ record, value }) => value === (ids.has(record) ? 0 : gone)));
});
