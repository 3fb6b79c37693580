// Questions that are repeated while nobody answers.

import t from 'tap';
import { repeated } from '../../../src/cluster/nats/repeated.ts';
import { SimulatedClock } from '../../simulated/clock.ts';

/** Questions that wait until the test answers them. */
function questions() {
  const asked: PromiseWithResolvers<string>[] = [];
  const ask = (): Promise<string> => {
    const one = Promise.withResolvers<string>();
    asked.push(one);
    return one.promise;
  };
  return { asked, ask };
}

t.test('a question that is answered in time is asked once', async (t) => {
  const clock = new SimulatedClock();
  const { asked, ask } = questions();
  const answer = repeated(clock, ask);
  clock.advance(400);
  asked[0]?.resolve('yes');
  t.equal(await answer, 'yes');
  clock.advance(10_000);
  t.equal(asked.length, 1);
});

t.test('the first answer counts, to whichever copy', async (t) => {
  const clock = new SimulatedClock();
  const { asked, ask } = questions();
  const answer = repeated(clock, ask);
  clock.advance(500);
  clock.advance(500);
  t.equal(asked.length, 3);
  asked[1]?.resolve('second');
  t.equal(await answer, 'second');
  for (const one of asked) one.reject(new Error('late'));
  clock.advance(10_000);
  t.equal(asked.length, 3);
});

t.test('it gives up with the first question', async (t) => {
  const clock = new SimulatedClock();
  const { asked, ask } = questions();
  const answer = repeated(clock, ask);
  clock.advance(500);
  asked[0]?.reject(new Error('no answer in time'));
  await t.rejects(answer, { message: 'no answer in time' });
  clock.advance(10_000);
  t.equal(asked.length, 2);
});
