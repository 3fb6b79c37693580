// The memory of an entity: rows in a table with its indexes, after garbage collection.

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Kind } from '../../src/declare/kinds/kind.ts';
import { apiSessionKind } from '../../src/records/api-session.ts';
import { identityKind } from '../../src/records/identity.ts';
import { sessionKind } from '../../src/records/session.ts';
import { tokenHash } from '../../src/records/token-hash.ts';
import { ReadFence } from '../../src/store/read-fence.ts';
import type { RecordBase } from '../../src/store/record.ts';
import { Table, type TableSurroundings } from '../../src/store/table.ts';

/** The memory of an entity of one kind. */
export interface FootprintMeasurement {
  readonly kind: string;
  readonly entities: number;
  /** Bytes of heap and array buffers per entity: record, row and index entries. */
  readonly bytesEach: number;
}

/** Measures each kind. */
export function measureFootprints(smoke: boolean): FootprintMeasurement[] {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const entities = smoke ? 2000 : 100_000;
  return samples.map(({ kind, record }) => {
    const table = new Table<RecordBase>(kind.table, surroundings);
    // Two collections are needed, because the first one only clears weak references.
    for (let round = 0; round < 2; round++) collect();
    const before = usedBytes();
    for (let n = 0; n < entities; n++) table.load(decoded(kind, record(n)), n + 1);
    table.endLoad();
    for (let round = 0; round < 2; round++) collect();
    const bytesEach = (usedBytes() - before) / entities;
    if (table.size !== entities) throw new Error(`${table.size} rows of ${kind.kind}`);
    return { kind: kind.kind, entities, bytesEach };
  });
}

/** As in recovery, so that records have the hidden class of decoded ones. */
function decoded(kind: Kind, record: RecordBase): RecordBase {
  const { codec } = kind.table;
  const values = codec.encode(record);
  return codec.decode(record.id, codec.version, structuredClone(values)) as RecordBase;
}

const surroundings: TableSurroundings = {
  fence: new ReadFence(),
  fatal: (error) => {
    throw error;
  },
  recordsMax: Number.POSITIVE_INFINITY,
};

function usedBytes(): number {
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

const idOf = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
const base = (n: number) => ({ id: idOf(n), createdAt: n, updatedAt: n, tags: {} });

const samples: readonly { readonly kind: Kind; record(n: number): RecordBase }[] = [
  {
    kind: identityKind,
    record: (n) =>
      ({
        ...base(n),
        state: 'enabled',
        name: `user-${String(n).padStart(8, '0')}`,
        typeId: 'Default',
        isAdmin: false,
        isDefaultAdmin: false,
        authPolicyId: 'default',
        roleAttributes: ['bench', 'site-a'],
        appData: {},
        defaultHostingCost: 0,
        defaultHostingPrecedence: 'default',
        serviceHostingCosts: {},
        serviceHostingPrecedences: {},
        serviceConfigs: [],
        envInfo: {},
        sdkInfo: {},
      }) as RecordBase,
  },
  {
    kind: apiSessionKind,
    record: (n) =>
      ({
        ...base(n),
        state: 'full',
        identityId: idOf(n >>> 2),
        // A sealed UUID has 65 bytes.
        token: Buffer.alloc(65, idOf(n + 1e9)).toString('base64'),
        tokenHash: tokenHash(idOf(n + 1e9)),
        authenticatorId: idOf(n >>> 2),
        configTypes: [],
        ipAddress: '10.0.0.1',
        isMfaRequired: false,
        isMfaComplete: false,
        improperClientCertChain: false,
        lastActivityAt: n,
      }) as RecordBase,
  },
  {
    kind: sessionKind,
    record: (n) =>
      ({
        ...base(n),
        apiSessionId: idOf(n >>> 3),
        serviceId: idOf(n & 7),
        type: 'Dial',
        identityId: idOf(n >>> 5),
        servicePolicyIds: [idOf(1)],
      }) as RecordBase,
  },
];
