// Golden homes: small homes as each released format version wrote them, which must stay readable
// for ever. Run by hand (`node test/golden/golden-home.ts`) when a format version is released,
// never to make a test pass.

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { bootNetwork, type Network } from '../simulated/network.ts';

/** Where golden homes lie, a folder a version. */
export const goldenDirectory = join(import.meta.dirname, '../../snapshots/golden');

const parts = ['log', 'snapshots', ''] as const;

/** Files of a golden home by their path below the home. */
export function goldenFiles(version: string): Map<string, Buffer> {
  const files = new Map<string, Buffer>();
  for (const name of readdirSync(join(goldenDirectory, version))) {
    if (!name.endsWith('.gz')) continue;
    const path = name.slice(0, -'.gz'.length).replace('_', '/');
    files.set(path, gunzipSync(readFileSync(join(goldenDirectory, version, name))));
  }
  return files;
}

/** What the home holds, as it was written down when it was made. */
export function goldenRecords(version: string): unknown {
  return JSON.parse(readFileSync(join(goldenDirectory, version, 'records.json'), 'utf8'));
}

/** Every record of a running network, in a stable order, as plain JSON. */
export function recordsOf(network: Network): unknown {
  const all = [...network.env.store.records()].map(({ kind, id, version, values }) => {
    return { kind, id, version, values };
  });
  all.sort((a, b) => (a.kind + a.id < b.kind + b.id ? -1 : 1));
  return JSON.parse(JSON.stringify(all));
}

/** A snapshot with frames behind it and no seal: the home of a controller that was killed. */
async function make(version: string): Promise<void> {
  const network = await bootNetwork();
  await fill(network, 'one');
  await network.restart();
  await network.logInAdmin();
  await fill(network, 'two');
  await network.core.journal.flush();
  const directory = join(goldenDirectory, version);
  mkdirSync(directory, { recursive: true });
  for (const part of parts) {
    const home = join('/home', part);
    for (const name of network.disk.list(home)) {
      const path = join(home, name);
      if (part === '' && name !== 'manifest') continue;
      const file = part === '' ? name : `${part}_${name}`;
      writeFileSync(join(directory, `${file}.gz`), gzipSync(network.disk.bytesOf(path)));
    }
  }
  writeFileSync(
    join(directory, 'records.json'),
    `${JSON.stringify(recordsOf(network), null, 1)}\n`,
  );
}

async function fill(network: Network, name: string): Promise<void> {
  const user = await network.createUser(`user-${name}`, 'password', {
    roleAttributes: ['staff', name],
    tags: { floor: '3', guest: false, badge: null },
    enrollment: { ott: true },
  });
  const config = await network.create('configs', {
    name: `config-${name}`,
    configTypeId: 'cea49285-6c07-42cf-9f52-09a9b115c783',
    data: { hostname: 'host', port: 80 },
  });
  const service = await network.create('services', {
    name: `service-${name}`,
    encryptionRequired: true,
    configs: [config],
    roleAttributes: [name],
  });
  await network.create('edge-routers', { name: `router-${name}`, isTunnelerEnabled: true });
  const any = { semantic: 'AnyOf', name };
  await network.create('edge-router-policies', {
    ...any,
    identityRoles: ['#all'],
    edgeRouterRoles: ['#all'],
  });
  await network.create('service-edge-router-policies', {
    ...any,
    serviceRoles: ['#all'],
    edgeRouterRoles: ['#all'],
  });
  await network.create('service-policies', {
    ...any,
    type: 'Dial',
    identityRoles: [`@${user}`],
    serviceRoles: [`#${name}`],
  });
  const token = await network.login(`user-${name}`, 'password');
  await network.must('POST', 'C:/sessions', { serviceId: service, type: 'Dial' }, token);
}

if (import.meta.main) await make(process.argv[2] ?? '1');
