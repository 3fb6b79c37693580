// The network of the peer that the bench makes, as the migration reads it.

import { join } from 'node:path';
import t from 'tap';
import { writeDatabase } from '../../bench/migrate/database-file.ts';
import { makePeerNetwork } from '../../bench/migrate/peer-network.ts';
import { openBolt } from '../../src/migrate/bolt/bolt-file.ts';
import type { Bucket } from '../../src/migrate/bolt/bucket.ts';
import { readNetwork } from '../../src/migrate/peer/network.ts';
import { openSourceFile } from '../../src/migrate/source-file.ts';

function withDatabase<T>(path: string, look: (root: Bucket) => T): T {
  const source = openSourceFile(path);
  try {
    return look(openBolt(source.file).root);
  } finally {
    source.close();
  }
}

t.test('a database of many pages and long values reads back equal', async (t) => {
  const values = Array.from({ length: 9000 }, (_, n): [string, Buffer] => [
    `key-${String(n).padStart(6, '0')}`,
    Buffer.from('x'.repeat(n % 1000 === 0 ? 10_000 : n % 50)),
  ]);
  const file = join(t.testdir(), 'ctrl.db');
  writeDatabase(file, { entries: [['many', { entries: values.values() }]] });
  withDatabase(file, (root) => {
    const read = [...(root.bucket('many')?.entries() ?? [])];
    // As texts, because a deep comparison of so many takes seconds.
    t.equal(
      read.map(({ key, value }) => `${key} ${value}`).join('\n'),
      values.map(([key, value]) => `${key} ${value}`).join('\n'),
    );
    t.equal(root.bucket('many')?.value('key-008999')?.length, 8999 % 50, 'by a search');
  });
});

t.test('entities are linked as their policies do it', async (t) => {
  const size = { identities: 30, services: 20, routers: 10, passwords: 2 };
  const made = await makePeerNetwork(join(t.testdir(), 'peer'), { ...size, keyType: 'ec-p256' });
  t.equal(made.usernames.length, 2);
  withDatabase(made.database, (root) => {
    const network = readNetwork(root);
    const ids = (kind: string) => [...network.entities(kind)].map(({ id }) => id);
    t.equal(ids('authenticators').length, 32);
    t.equal(ids('identities').length, 30);
    t.equal(ids('services').length, 20);
    t.equal(ids('routers').length, 10);
    const identity = network.entity('identities', 'identity-0000013');
    t.same(identity?.set('dialServices'), ['service-0000003', 'service-0000013']);
    t.same(identity?.set('routers'), ['router-0000003']);
    const prints = [...network.entities('authenticators')].map((one) =>
      one.text('certFingerprint'),
    );
    t.equal(new Set(prints).size, 31, 'each certificate is another one, and passwords have none');
  });
});
