// What answers to a published message say about it.

import { JetStreamApiError } from '@nats-io/jetstream';
import { errors } from '@nats-io/transport-node';
import t from 'tap';
import { isApiError, isTimeout, reasonOf, unreachable } from '../../../src/cluster/nats/failure.ts';
import { outcomeOfAnswer } from '../../../src/cluster/nats/publish-outcome.ts';
import { StreamUnreachable } from '../../../src/cluster/stream.ts';
import fc from '../../properties.ts';

function outcomeOf(answer: unknown) {
  return outcomeOfAnswer(Buffer.from(JSON.stringify(answer)), 'EDGE_a_1');
}

function refusal(code: number, text: string) {
  return { type: 'x', error: { code: 400, err_code: code, description: text }, stream: '', seq: 0 };
}

t.test('an acknowledgement names the stream and a sequence', (t) => {
  t.same(outcomeOf({ stream: 'EDGE_a_1', seq: 7 }), { outcome: 'acknowledged', sequence: 7 });
  t.same(outcomeOf({ stream: 'EDGE_a_1', seq: 7, domain: 'x', duplicate: false }), {
    outcome: 'acknowledged',
    sequence: 7,
  });
  t.end();
});

t.test('only a wrong last sequence is a refusal', (t) => {
  t.same(outcomeOf(refusal(10071, 'wrong last sequence: 8')), { outcome: 'refused' });
  t.same(outcomeOf(refusal(10164, 'wrong last sequence')), { outcome: 'refused' });
  const others = [
    [10039, 'jetstream not enabled for account'],
    [10076, 'jetstream not enabled'],
    [10008, 'jetstream system temporarily unavailable'],
    [10023, 'insufficient resources'],
    [10047, 'insufficient storage resources available'],
    [10060, 'expected stream does not match'],
    [10077, 'maximum bytes exceeded'],
    [10167, 'too many requests'],
  ] as const;
  for (const [code, text] of others) {
    t.same(outcomeOf(refusal(code, text)), {
      outcome: 'unknown',
      reason: `the stream answered error ${code}: ${text}`,
    });
  }
  t.end();
});

t.test('whatever else is answered leaves the outcome open', (t) => {
  const answers: readonly (readonly [unknown, RegExp])[] = [
    [{ stream: 'EDGE_a_2', seq: 7 }, /another stream/],
    [{ seq: 7 }, /another stream/],
    [{ stream: 'EDGE_a_1', seq: 7, duplicate: true }, /duplicate/],
    [{ stream: 'EDGE_a_1' }, /no sequence/],
    [{ stream: 'EDGE_a_1', seq: 0 }, /no sequence/],
    [{ stream: 'EDGE_a_1', seq: 1.5 }, /no sequence/],
    [{ stream: 'EDGE_a_1', seq: '7' }, /no sequence/],
    [{ error: 'broken', stream: 'EDGE_a_1', seq: 7 }, /without a number/],
    [{ error: {} }, /error \?: no description/],
    [{ error: { err_code: '10071' } }, /error \?/],
    [[], /not JSON/],
    [null, /not JSON/],
  ];
  for (const [answer, reason] of answers) {
    const outcome = outcomeOf(answer);
    t.equal(outcome.outcome, 'unknown');
    if (outcome.outcome === 'unknown') t.match(outcome.reason, reason);
  }
  t.equal(outcomeOfAnswer(Buffer.alloc(0), 'EDGE_a_1').outcome, 'unknown');
  t.end();
});

t.test('no bytes are taken for an acknowledgement that are none', (t) => {
  const anything = fc.oneof(fc.uint8Array({ maxLength: 200 }), fc.json().map(asBytes));
  fc.assert(
    fc.property(anything, (bytes) => {
      const { outcome } = outcomeOfAnswer(bytes, 'EDGE_a_1');
      return outcome === 'unknown';
    }),
  );
  t.end();
});

t.test('failed calls have a short reason without control characters', (t) => {
  const late = new errors.TimeoutError();
  t.ok(isTimeout(late));
  t.notOk(isTimeout(new errors.ClosedConnectionError()));
  t.equal(reasonOf(new errors.ClosedConnectionError()), 'closed connection');
  const nobody = new errors.RequestError('', { cause: new errors.NoRespondersError('a.b') });
  t.match(reasonOf(nobody), /no responders/);
  t.equal(reasonOf('text'), 'an unknown failure');
  t.equal(reasonOf(new Error(`a\n\u001b[31m${'b'.repeat(500)}`)).length, 200);
  t.match(reasonOf(new Error('a\n\u001bb')), /^a b$/);
  const missing = new JetStreamApiError({ code: 404, err_code: 10059, description: 'gone' });
  t.ok(isApiError(missing, 10059));
  t.notOk(isApiError(missing, 10071));
  const known = new StreamUnreachable('away');
  t.equal(unreachable(known), known);
  t.match(unreachable(missing), { name: 'StreamUnreachable', message: 'gone', cause: missing });
  t.end();
});

function asBytes(text: string): Uint8Array {
  return Buffer.from(text);
}
