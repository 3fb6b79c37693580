// What the monitoring port of a NATS server tells of its room, as entries of nodes can hold it.

import t from 'tap';
import { serverBound } from '../../../src/cluster/nats/server-bound.ts';

const at = '127.0.0.1:8222';
const of = `The NATS server with the monitoring port ${at}`;

t.test('what a server tells of its room', async (t) => {
  const config = { max_storage: 1000 };
  t.same(serverBound(at, { storage: 700, config }), {
    of,
    usedBytes: 700,
    bytesMax: 1000,
    copies: 1,
  });
  t.match(serverBound(at, { config }), { usedBytes: 0 }, 'a server leaves out 0');
  for (const bytesMax of [undefined, 0, -1, '1000', null, 1e300, 0.5]) {
    t.equal(serverBound(at, { storage: 7, config: { max_storage: bytesMax } }), undefined);
  }
});

// An entry with such a number is read by nobody, so the node would count as gone.
t.test('what is no number of bytes is no bound', async (t) => {
  for (const storage of ['full', {}, null, -1, 0.5, 1e300]) {
    t.equal(serverBound(at, { storage, config: { max_storage: 1000 } }), undefined);
  }
  for (const told of [undefined, null, 'jsz', [], {}]) t.equal(serverBound(at, told), undefined);
});
