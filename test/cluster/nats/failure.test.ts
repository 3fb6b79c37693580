// What failed calls of the NATS client mean.

import { JetStreamApiError } from '@nats-io/jetstream';
import { NoRespondersError, RequestError } from '@nats-io/transport-node';
import t from 'tap';
import { isUnanswered, unreachable } from '../../../src/cluster/nats/failure.ts';
import { StoreFull, StreamUnreachable } from '../../../src/cluster/stream.ts';

/** As a server answers. */
function answered(err_code: number): JetStreamApiError {
  return new JetStreamApiError({ code: 503, err_code, description: 'no' });
}

t.test('each answer that the servers have no room means that the store is full', (t) => {
  const codes: readonly (readonly [number, string, boolean])[] = [
    [10002, 'resource limits exceeded for account', true],
    [10023, 'insufficient resources', true],
    [10028, 'insufficient memory resources available', true],
    [10047, 'insufficient storage resources available', true],
    [10039, 'jetstream not enabled for account', false],
    [10071, 'wrong last sequence', false],
    [10077, 'maximum messages exceeded', false],
  ];
  for (const [code, what, isFull] of codes) {
    const error = unreachable(answered(code));
    t.equal(error instanceof StoreFull, isFull, what);
    t.ok(error instanceof StreamUnreachable);
  }
  t.end();
});

t.test('a message that nobody takes tells nothing of the room', (t) => {
  const cause = new RequestError('no responders', {
    cause: new NoRespondersError('$KV.x'),
  });
  const thrown = new Error('jetstream is not enabled', { cause });
  t.notOk(unreachable(thrown) instanceof StoreFull);
  t.ok(isUnanswered(thrown));
  for (const other of [answered(10039), cause.cause, new Error('jetstream is not enabled'), 7]) {
    t.notOk(isUnanswered(other));
  }
  t.end();
});
