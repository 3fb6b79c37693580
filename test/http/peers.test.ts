// The registry of connections: the client behind an id, and unknown ids.

import { randomBytes } from 'node:crypto';
import t from 'tap';
import { Connections } from '../../src/http/front/peers.ts';
import * as fc from '../properties.ts';

/** An id as it comes out of a PROXY header. */
function arrived(id: Buffer): ArrayBuffer {
  return Uint8Array.from(id).buffer;
}

t.test('a connection without certificate is known without a word', async (t) => {
  const connections = new Connections(8);
  connections.addWorker();
  const second = connections.addWorker();
  t.equal(second.slotBase, 8);
  const id = second.write(9, randomBytes(12), {
    address: '::ffff:10.0.0.7',
    certified: false,
    namesRequests: false,
  });
  t.same(connections.peer(arrived(id)), { address: '10.0.0.7', certificates: [] });
  t.equal(connections.peer(arrived(id)), connections.peer(arrived(id)), 'one peer a connection');
  t.equal(connections.slot(arrived(id)), 9);
});

t.test('one with certificates is known once it is introduced, until it is forgotten', async (t) => {
  const connections = new Connections(8);
  const table = connections.addWorker();
  const id = arrived(
    table.write(3, randomBytes(12), {
      address: '2001:db8::1',
      certified: true,
      namesRequests: false,
    }),
  );
  t.equal(connections.peer(id), undefined);
  connections.introduce(3, [Buffer.from('leaf'), Buffer.from('issuer')]);
  t.same(connections.peer(id), {
    address: '2001:db8::1',
    certificates: [Buffer.from('leaf'), Buffer.from('issuer')],
  });
  connections.forget([3]);
  t.not(connections.peer(id), undefined, 'what it sent last may still be read');
  for (let turn = 0; turn < 4; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  t.equal(connections.peer(id), undefined);
});

t.test('a slot with a new owner does not forget it with the old one', async (t) => {
  const connections = new Connections(8);
  const table = connections.addWorker();
  const old = arrived(
    table.write(3, randomBytes(12), { address: '10.0.0.1', certified: true, namesRequests: false }),
  );
  connections.introduce(3, [Buffer.from('old')]);
  connections.forget([3]);
  const id = arrived(
    table.write(3, randomBytes(12), { address: '10.0.0.2', certified: true, namesRequests: false }),
  );
  connections.introduce(3, [Buffer.from('new')]);
  for (let turn = 0; turn < 4; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  t.equal(connections.peer(old), undefined);
  t.equal(connections.peer(id)?.address, '10.0.0.2');
});

t.test('no other id is known: not of another length, nor changed in any byte', async () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ minLength: 12, maxLength: 12 }),
      fc.nat(15),
      fc.integer({ min: 1, max: 255 }),
      fc.uint8Array({ maxLength: 20 }),
      fc.boolean(),
      (random, index, change, other, asked) => {
        const connections = new Connections(4);
        const table = connections.addWorker();
        const id = table.write(2, Buffer.from(random), {
          address: '10.0.0.1',
          certified: false,
          namesRequests: false,
        });
        if (asked) connections.peer(arrived(id));
        const changed = Buffer.from(id);
        changed[index] = (changed[index] ?? 0) ^ change;
        return (
          connections.peer(arrived(changed)) === undefined &&
          connections.peer(arrived(Buffer.from(other))) === undefined &&
          connections.peer(arrived(id)) !== undefined
        );
      },
    ),
  );
});

t.test('an unused slot answers to no id, also not to one of zeros', async (t) => {
  const connections = new Connections(4);
  connections.addWorker();
  t.equal(connections.peer(new ArrayBuffer(16)), undefined);
});

t.test('ids of a worker that died are void', async (t) => {
  const connections = new Connections(4);
  const table = connections.addWorker();
  const id = arrived(
    table.write(1, randomBytes(12), {
      address: '10.0.0.1',
      certified: false,
      namesRequests: false,
    }),
  );
  t.not(connections.peer(id), undefined);
  connections.replaceWorker(table);
  t.equal(connections.peer(id), undefined);
});

t.test('the counts of all workers are summed', async (t) => {
  const connections = new Connections(4);
  connections.addWorker().add('handshakesFailed', 2);
  connections.addWorker().add('handshakesFailed', 3);
  t.equal(connections.counters().handshakesFailed, 5);
});

t.test('addresses are short', async (t) => {
  const connections = new Connections(4);
  const table = connections.addWorker();
  const addressOf = (address: string) =>
    connections.peer(
      arrived(table.write(1, randomBytes(12), { address, certified: false, namesRequests: false })),
    )?.address;
  t.equal(addressOf('::ffff:127.0.0.1'), '127.0.0.1');
  t.equal(addressOf('fe80::1%eth0'), 'fe80::1');
  t.equal(addressOf('2001:db8::1'), '2001:db8::1');
});
