// The client of the campaign, with answers that come late, twice, or not at all.

import t, { type Test } from 'tap';
import { client, management } from '../client.ts';
import {
  type Asked,
  clientOf,
  nobodyKnows,
  notDone,
  pretendFront,
  type Said,
} from './pretend-front.ts';

const identities = `${management}/identities`;
const body = { name: 'one' };
const taken = { status: 400, error: { code: 'COULD_NOT_VALIDATE' } } as const;
const rows = (...data: readonly object[]) => ({ status: 200, data });

/** A client, and a front that says one thing after the other, and then the last again and again. */
async function told(test: Test, answers: readonly Said[], retryForMs?: number) {
  const asked: Asked[] = [];
  const fronts = await pretendFront(test, (request) => {
    asked.push(request);
    return answers[Math.min(asked.length, answers.length) - 1] ?? 'lost';
  });
  return { asked, ...clientOf(test, fronts, retryForMs) };
}

t.test('a change without an answer that is refused afterwards was done', async (t) => {
  for (const nothing of ['lost', nobodyKnows] as const) {
    const { http, asked, counts } = await told(t, [nothing, taken, rows({ id: 'id-1' })]);
    const { status, data } = await http.call('POST', identities, { body });
    t.equal(status, 201);
    t.same(data, { id: 'id-1' });
    t.same(
      asked.map(({ method }) => method),
      ['POST', 'POST', 'GET'],
    );
    t.match(decodeURIComponent(asked[2]?.path ?? ''), 'name = "one"');
    t.same(counts, { unknown: 1, undone: 0, doneBefore: 1 });
  }
});

t.test('one that is refused and is not there is a fault', async (t) => {
  const { http, counts } = await told(t, ['lost', taken, rows()]);
  const refused = http.call('POST', identities, { body });
  await t.rejects(refused, /^one was refused with .*COULD_NOT_VALIDATE.*, and is not there$/);
  t.equal(counts.doneBefore, 0);
});

t.test('the look at what was refused is not left out by a client that was stopped', async (t) => {
  const answers: readonly Said[] = ['lost', taken, rows()];
  let count = 0;
  const fronts = await pretendFront(t, () => {
    count += 1;
    if (count === 2) http.isStopped = true;
    return answers[count - 1] ?? 'lost';
  });
  const { http } = clientOf(t, fronts);
  await t.rejects(http.call('POST', identities, { body }), /and is not there/);
  await t.rejects(http.call('GET', identities), { name: 'Stopped' });
});

t.test('a change that was said not to be done, and was, is not taken for done', async (t) => {
  const { http, counts } = await told(t, [notDone, taken]);
  t.equal((await http.call('POST', identities, { body })).status, 400);
  t.same(counts, { unknown: 0, undone: 1, doneBefore: 0 });
});

t.test('what was deleted is gone; an API session that was lost is not', async (t) => {
  const gone = { status: 404, error: { code: 'NOT_FOUND' } };
  const strange = { status: 401, error: { code: 'UNAUTHORIZED' } };
  const cases = [
    [`${identities}/id-1`, gone, 200],
    [`${client}/current-api-session`, strange, 200],
    [`${client}/sessions/id-1`, strange, 401],
  ] as const;
  for (const [path, answer, status] of cases) {
    const { http } = await told(t, ['lost', answer]);
    t.equal((await http.call('DELETE', path)).status, status, path);
  }
});

t.test('a request that is never answered is a fault, which names the last words', async (t) => {
  const { http } = await told(t, [notDone], 0);
  const words = /^GET \/one had no answer for 0 ms; at last front 0 said: 503 .*STORAGE/;
  await t.rejects(http.call('GET', '/one'), words);
});
