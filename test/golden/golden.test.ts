// Homes of every released format version open, and hold what they held.

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import type { RecordBase } from '../../src/store/record.ts';
import { look } from '../offline/looking.ts';
import { Network } from '../simulated/network.ts';
import { goldenDirectory, goldenFiles, goldenRecords, recordsOf } from './golden-home.ts';

for (const version of readdirSync(goldenDirectory)) {
  t.test(`format version ${version}`, async (t) => {
    const network = new Network({});
    for (const [path, bytes] of goldenFiles(version))
      network.disk.place(join('/home', path), bytes);
    await network.open();
    t.same(recordsOf(network), migrated(goldenRecords(version)));
    t.match(network.core.report, { sealed: false, tornTail: undefined });
    t.ok(network.core.report.snapshotLsn > 0 && network.core.report.framesReplayed > 0);
    const sessions = sessionsOf(network);
    const { snapshotLsn } = network.core.report;
    t.ok(sessions.some(({ lsn }) => lsn <= snapshotLsn));
    t.ok(sessions.some(({ lsn }) => lsn > snapshotLsn));
    t.ok(sessions.every(({ mfaPassedAt }) => mfaPassedAt === undefined));
    await network.logInAdmin();
    t.equal(
      (await network.call('GET', 'M:/identities')).status,
      200,
      'and the controller serves it',
    );
    await network.restart();
    const before = new Set(sessions.map(({ id }) => id));
    const again = sessionsOf(network).filter(({ id }) => before.has(id));
    t.same(again, sessions, 'and writes them as it read them');
    t.equal((await look(network.disk, ['check'])).code, 0);
    await network.stop();
  });
}

interface ApiSession extends RecordBase {
  readonly mfaPassedAt?: number;
  readonly lsn: number;
}

/** API sessions are in the snapshot and behind it, those of version 1 without any stamp. */
function sessionsOf({ env }: Network): ApiSession[] {
  const rows = [...env.store.table<ApiSession>('apiSession').all()];
  return rows.map(({ record, lsn }) => ({ ...record, lsn })).sort((a, b) => (a.id < b.id ? -1 : 1));
}

/** What later layouts of a kind put behind the values of an older one. */
const appended: Readonly<Record<string, { version: number; values: readonly unknown[] }>> = {
  apiSession: { version: 2, values: [null, null, null] },
  // All of those homes are passwords.
  authenticator: { version: 2, values: [null, null, false, false] },
  identity: { version: 2, values: [null, null] },
  router: { version: 2, values: [[], {}] },
};

interface Golden {
  readonly kind: string;
  readonly version: number;
  readonly values: readonly unknown[];
}

/** The records as this version of the program holds them. */
function migrated(records: unknown): Golden[] {
  return (records as Golden[]).map((record) => {
    const { version = record.version, values = [] } = appended[record.kind] ?? {};
    if (version === record.version) return record;
    return { ...record, version, values: [...record.values, ...values] };
  });
}
