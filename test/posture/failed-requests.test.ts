// How many refused requests are remembered, of whom, and until when.

import t from 'tap';
import { FailedRequests } from '../../src/posture/failed-requests.ts';

const roomy = {
  failedRequestsMax: 3,
  failedRequestCharactersMax: 1000,
  failedRequestsCharactersMax: 1000,
};

t.test('the last failedRequestsMax of an identity, the oldest first', (t) => {
  const requests = new FailedRequests(roomy);
  t.same(requests.of('alice'), []);
  for (const text of ['1', '2', '3', '4', '5']) requests.add('alice', text);
  requests.add('bob', '6');
  t.same(requests.of('alice'), ['3', '4', '5']);
  t.same(requests.of('bob'), ['6']);
  t.same(requests.size, { identities: 2, characters: 4 });
  t.end();
});

t.test('of an identity no more text than failedRequestCharactersMax, yet one request', (t) => {
  const requests = new FailedRequests({ ...roomy, failedRequestCharactersMax: 5 });
  for (const text of ['aa', 'bb', 'cc']) requests.add('alice', text);
  t.same(requests.of('alice'), ['bb', 'cc']);
  requests.add('alice', 'a long text');
  t.same(requests.of('alice'), ['a long text']);
  requests.add('alice', 'dd');
  t.same(requests.of('alice'), ['dd']);
  t.end();
});

t.test('beyond failedRequestsCharactersMax the oldest refusal is forgotten', (t) => {
  const requests = new FailedRequests({ ...roomy, failedRequestsCharactersMax: 6 });
  for (const name of ['alice', 'bob', 'alice', 'carol']) requests.add(name, 'xx');
  t.same(requests.size, { identities: 2, characters: 6 });
  t.same(requests.of('bob'), [], 'alice was refused again since');
  t.same(requests.of('alice'), ['xx', 'xx']);
  requests.add('dave', 'xxxxxxx');
  t.same(requests.size, { identities: 0, characters: 0 }, 'one text alone may be too much');
  t.end();
});
