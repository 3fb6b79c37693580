// What became of requests whose leader went away, from the frames that a node has applied.

import t from 'tap';
import { RequestFates } from '../../src/assembly/cluster/request-fates.ts';
import { operations } from '../../src/assembly/operations.ts';
import { Routes } from '../../src/http/application/routes.ts';
import { AppliedRequests } from '../../src/store/applied-requests.ts';
import * as fc from '../properties.ts';
import { SimulatedClock } from '../simulated/clock.ts';

const requestId = 'request-01';

function begin() {
  const clock = new SimulatedClock();
  const following = { term: 1, requests: new AppliedRequests() };
  const fates = new RequestFates({ following, routes: new Routes(operations), clock, waitMs: 100 });
  const told: string[] = [];
  const decide = (method: string, path: string) =>
    fates.decide({ method, path, requestId, term: 1 }, (fate) => told.push(fate));
  const applyTerm = (term: number) => {
    following.term = term;
    fates.applied();
  };
  return { clock, following, told, decide, applyTerm };
}

t.test('a write is decided by the first frame of the next term', async (t) => {
  const { following, told, decide, applyTerm } = begin();
  decide('POST', '/edge/management/v1/identities');
  applyTerm(1);
  t.same(told, [], 'frames of its leader may still come');
  applyTerm(2);
  t.same(told, ['again']);
  following.requests.add(requestId);
  decide('POST', '/edge/management/v1/identities');
  t.same(told, ['again', 'unknown'], 'it was done, and its answer is lost');
});

t.test('a frame that comes before the next term is seen', async (t) => {
  const { following, told, decide, applyTerm } = begin();
  decide('POST', '/edge/management/v1/identities');
  following.requests.add(requestId);
  applyTerm(2);
  t.same(told, ['unknown']);
});

t.test(
  'reads are asked again, what acts outside of frames never, and a GET may write',
  async (t) => {
    const { told, decide } = begin();
    decide('GET', '/edge/management/v1/identities');
    decide('GET', '/no/such/path');
    decide('POST', '/fabric/v1/cluster/transfer-leadership');
    t.same(told, ['again', 'again', 'unknown']);
    decide('GET', '/edge/client/v1/current-identity/mfa/recovery-codes');
    decide('POST', '/no/such/path');
    decide('POST', '/edge/management/v1//identities');
    t.equal(told.length, 3, 'these may write');
    decide('POST', '/fabric//v1/cluster/transfer-leadership');
    t.same(told[3], 'unknown');
  },
);

t.test('nobody waits for a next term for ever', async (t) => {
  const { clock, told, decide, applyTerm } = begin();
  decide('DELETE', '/edge/management/v1/identities/a');
  await clock.advance(99);
  t.same(told, []);
  await clock.advance(1);
  t.same(told, ['unknown']);
  applyTerm(2);
  t.same(told, ['unknown']);
});

t.test('what may have been forgotten is not known', async (t) => {
  const { following, told, decide, applyTerm } = begin();
  decide('POST', '/edge/management/v1/identities');
  for (let n = 0; n < 40_000; n++) following.requests.add(`${n}`);
  applyTerm(2);
  t.same(told, ['unknown']);
});

t.test('the last ids are remembered, and no others', async () => {
  const id = fc
    .integer({ min: 0, max: 40 })
    .map((n) => `${n % 10}`.repeat(9) + (n > 20 ? 'a' : 'b'));
  await fc.assert(
    fc.asyncProperty(fc.array(id), async (ids) => {
      const applied = new AppliedRequests(4);
      for (const one of ['', ...ids]) applied.add(one);
      const kept: string[] = [];
      for (const one of ids) if (!kept.includes(one) && kept.push(one) > 4) kept.shift();
      for (const one of ['', ...ids]) t.equal(applied.has(one), kept.includes(one));
    }),
  );
});
