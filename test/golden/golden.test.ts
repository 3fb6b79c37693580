// Homes of every released format version open with their original contents.

import { hash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { readManifest } from '../../snapshots/home/manifest.ts';
import { apiSessionKind } from '../../src/records/api-session.ts';
import { kinds } from '../../src/resources/index.ts';
import type { RecordBase } from '../../src/store/record.ts';
import { look } from '../commands/offline/looking.ts';
import { Network } from '../simulated/network.ts';
import { goldenDirectory, goldenFiles, goldenRecords, recordsOf } from './golden-home.ts';

for (const version of readdirSync(goldenDirectory)) {
  t.test(`format version ${version}`, async (t) => {
    const network = new Network({});
    for (const [path, bytes] of goldenFiles(version))
      network.disk.place(join('/home', path), bytes);
    await network.open();
    const { made, rest } = apart(opened(network));
    t.same(rest, migrated(goldenRecords(version)));
    t.match(
      made,
      [
        { kind: 'integrityRun', id: 'last', version: 1 },
        { kind: 'tokenKey', version: 1 },
      ],
      'written at this start',
    );
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
    await passwordsHaveOneState(t, network);
    await listsWereSet(t, network);
    await network.restart();
    const before = new Set(sessions.map(({ id }) => id));
    const again = sessionsOf(network).filter(({ id }) => before.has(id));
    t.same(again, sessions, 'and writes them as it read them');
    t.equal((await look(network.disk, ['check'])).code, 0);
    const [token = '', ...others] = tokensIn(goldenRecords(version) as Golden[]);
    t.equal((await network.call('GET', 'C:/current-api-session', { token })).status, 200);
    const { file } = readManifest(network.disk, '/home')?.snapshots[0] ?? { file: '' };
    const snapshot = network.disk.bytesOf(`/home/snapshots/${file}`);
    t.ok(others.length > 0);
    for (const secret of [token, ...others]) t.notOk(snapshot.includes(secret), 'sealed by now');
    await network.stop();
  });
}

/** Instances, counts and history name it, although the frames of those homes name another one. */
async function passwordsHaveOneState(t: Test, network: Network): Promise<void> {
  const state = 'life:existing';
  const all = 'M:/inspect/machines/authenticator/instances';
  const instances = await network.must<{ id: string; state: string }[]>('GET', all);
  t.ok(instances.length > 0 && instances.every((one) => one.state === state));
  const machines = await network.must<{ id: string; counts: object }[]>(
    'GET',
    'M:/inspect/machines',
  );
  const { counts } = machines.find(({ id }) => id === 'authenticator') ?? {};
  t.match(counts, { [state]: instances.length, 'certificate:current,life:existing': 0 });
  const histories = await Promise.all(
    instances.map(({ id }) => network.must<History>('GET', `${all}/${id}/transitions`)),
  );
  const created = histories.flatMap(({ transitions }) => transitions);
  t.ok(created.length > 0, 'created after the snapshot of that home');
  const from = 'certificate:none,life:none';
  for (const transition of created) t.match(transition, { event: 'create', from, to: state });
}

/** Those homes hold empty lists for those that were never set, and these stay. */
async function listsWereSet(t: Test, network: Network): Promise<void> {
  for (const [path, empty] of [
    ['edge-routers', { configs: [], roleAttributes: [] }],
    ['service-policies', { postureCheckRoles: [] }],
  ] as const) {
    const rows = await network.must<object[]>('GET', `M:/${path}`);
    t.equal(rows.length, 2);
    for (const row of rows) t.match(row, empty, path);
  }
}

interface History {
  readonly transitions: readonly {
    readonly event: string;
    readonly from: string;
    readonly to: string;
  }[];
}

interface ApiSession extends RecordBase {
  readonly mfaPassedAt?: number;
  readonly lsn: number;
}

/** API sessions are in the snapshot and behind it, those of version 1 without any stamp. */
function sessionsOf({ env }: Network): ApiSession[] {
  const rows = [...env.store.table(apiSessionKind).all()];
  return rows.map(({ record, lsn }) => ({ ...record, lsn })).sort((a, b) => (a.id < b.id ? -1 : 1));
}

/** Where the values of later layouts stand that are sealed, and the token among them. */
const sealedAt: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  apiSession: { token: 5 },
  enrollment: { token: 6, jwt: 7 },
};

/** The records of a network, what is sealed in them opened. */
function opened(network: Network): Golden[] {
  return (recordsOf(network) as Golden[]).map((record) => {
    const { kind, id } = record;
    const values = [...record.values];
    for (const [field, at] of Object.entries(sealedAt[kind] ?? {})) {
      values[at] = network.env.sealing.open(String(values[at]), { kind, id, field }).toString();
    }
    return { ...record, values };
  });
}

/** Session tokens first, then what else an old home keeps in clear. */
function tokensIn(records: readonly Golden[]): string[] {
  return records
    .filter(({ kind }) => kind in sealedAt)
    .sort((a, b) => (a.kind < b.kind ? -1 : 1))
    .flatMap(({ kind, values }) =>
      Object.values(sealedAt[kind] ?? {}).map((at) => String(values[at])),
    );
}

/** Records of integrity runs, which those homes lack, and the others. */
function apart(records: readonly Golden[]) {
  const isMade = ({ kind }: Golden) => kind === 'integrityRun' || kind === 'tokenKey';
  return { made: records.filter(isMade), rest: records.filter((one) => !isMade(one)) };
}

/** What later layouts append to an older record that is not the fallback of the field. */
const appended: Readonly<Record<string, (stored: readonly unknown[]) => object>> = {
  apiSession: (stored) => ({ tokenHash: hashOf(stored[5]) }),
  enrollment: (stored) => ({ tokenHash: hashOf(stored[6]) }),
  // Those homes are from before there were lists that were never set.
  router: () => ({ configs: [] }),
};

/** What later layouts of a kind put where an older one held nothing. */
const filled: Readonly<Record<string, { at: number; value: unknown }>> = {
  configType: { at: 6, value: 'service' },
};

const hashOf = (token: unknown) => hash('sha256', String(token), 'base64url');

interface Golden {
  readonly kind: string;
  readonly id: string;
  readonly version: number;
  readonly values: readonly unknown[];
}

/** The records as this version of the program holds them. */
function migrated(records: unknown): Golden[] {
  return (records as Golden[]).map((given) => {
    const { kind, version, values } = withFilled(given);
    const present = kinds.find((one) => one.kind === kind);
    if (present === undefined) throw new RangeError(`no kind ${kind}`);
    const known: Readonly<Record<string, unknown>> = { ...appended[kind]?.(values) };
    const more = present.storedNames
      .filter((name) => (present.fields[name]?.since ?? 1) > version)
      .map((name) => known[name] ?? present.fields[name]?.fallback ?? null);
    // All authenticators of those homes are passwords, which have no certificate region.
    const stored = kind === 'authenticator' ? values.with(4, 'life:existing') : values;
    return { ...given, version: present.version, values: [...stored, ...more] };
  });
}

function withFilled(record: Golden): Golden {
  const fill = filled[record.kind];
  if (fill === undefined) return record;
  const { at, value } = fill;
  return { ...record, values: record.values.with(at, record.values[at] ?? value) };
}
