// Questions that get lost while a stream has no leader.

import type { Clock, Timer } from '../../platform/ports.ts';

/**
 * Between two copies of a question. While the servers elect a leader, nobody answers; a question
 * from before is not answered after the election either.
 */
const repeatMs = 500;

/**
 * Asks, and asks again while there is no answer, until the first question has failed. The first
 * answer or failure counts. Only for what changes nothing.
 */
export async function repeated<T>(clock: Clock, question: () => Promise<T>): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  let timer: Timer | undefined;
  const ask = (): void => {
    timer = clock.after(repeatMs, ask);
    question().then(resolve, reject);
  };
  ask();
  try {
    return await promise;
  } finally {
    timer?.cancel();
  }
}
