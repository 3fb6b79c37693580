// The last reads of a round: each front has to answer.

import t from 'tap';
import { Api } from '../client.ts';
import { History } from './history.ts';
import { clientOf, notDone, pretendFront, type Said } from './pretend-front.ts';

t.test('a front that does not answer the last reads is named with its last words', async (t) => {
  let read: Said = { status: 200, data: { data: { value: 0 } } };
  const fronts = await pretendFront(t, ({ method }) =>
    method === 'POST' ? { status: 201, data: { id: 'one' } } : read,
  );
  const { http } = clientOf(t, fronts);
  const history = await History.begin(fronts, new Api(http, '', ''), '1');
  await history.readAll(0);
  t.equal(history.operations.length, 9);
  read = notDone;
  const words = /^a record could not be read for 0 ms; at last front 0 said: 503 .*STORAGE/;
  await t.rejects(history.readAll(0), words);
});
