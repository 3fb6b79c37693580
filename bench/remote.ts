// Any controller, given by its URL. The network is created through its management API and deleted
// again. Its process, its disk and its log are not read.

import { randomBytes } from 'node:crypto';
import { ApiClient } from './api-client.ts';
import { remoteSize } from './home-size.ts';
import type { HomeRun } from './local-homes.ts';
import { Marks } from './marks.ts';
import { type Bulk, bulkOver, makeNetwork } from './network.ts';
import type { RemoteOptions } from './options.ts';
import { incapabilityOf } from './refusal.ts';
import type { Scenario } from './scenario.ts';
import { Side } from './side.ts';
import { type StormSize, stormOn } from './storm.ts';
import type { Target } from './target.ts';
import { Turns } from './turns.ts';

/** The remark in a report of a run by URL about the figures that it lacks. */
export const remoteLeftOut: readonly string[] = [
  'CPU, memory and other work: the process is not ours to look into.',
  'Frames and bytes written: its log and its disk are its own.',
  'The direct listener, endings, snapshots, inspectors, restarts, routers and the mix, which need the process.',
  'Physical limits and pieces by themselves, which tell of this machine and this code.',
];

/** Measures scenarios on the controller at a URL, and a storm on request. */
export async function measureRemote(
  run: HomeRun,
  remote: RemoteOptions,
  wanted: readonly Scenario[],
  storm: StormSize | undefined,
): Promise<void> {
  const { options, generator, found, progress } = run;
  const target = targetOfUrl(remote);
  const marks = new Marks(`bench-${randomBytes(4).toString('hex')}-`);
  const [identities = 1000] = options.sizes;
  const size = remoteSize(identities, options.smoke);
  progress(`${remote.url}: ${size.identities} identities named ${marks.prefix}…`);
  found.leftOut.push(...remoteLeftOut);
  try {
    const startedAt = performance.now();
    const network = await makeNetwork(target, generator, size, marks);
    const madeMs = performance.now() - startedAt;
    const createsPerSecond = ((size.identities + size.services) / madeMs) * 1000;
    const { services } = size;
    found.homes.push({ identities: size.identities, services, madeMs, createsPerSecond });
    const side = new Side(target, network);
    const turns = new Turns(options, generator, found, progress);
    for (const scenario of wanted) {
      if (scenario.listener === 'front') await turns.run(scenario, { here: side });
    }
    if (storm === undefined) return;
    const subject = `a storm of ${storm.clients} clients`;
    progress(subject);
    try {
      found.storms.push(await stormOn({ target, network, size: storm, smoke: options.smoke }));
    } catch (thrown) {
      const [reason, isFault] = incapabilityOf(thrown);
      found.incapable.push({ subject, reason, ...(isFault && { isFault }) });
    }
  } finally {
    const gone = await cleanUp(target, bulkOver(generator, target), marks);
    progress(`${gone} entities deleted again`);
  }
}

/** As a target. Node's TLS checks the name in the URL. */
export function targetOfUrl({ host, port, caFile, administrator }: RemoteOptions): Target {
  return { host, port, serverName: host, caFile, administrator };
}

/** Kinds in an order in which they can be deleted; sessions are deleted with their identities. */
const kinds = [
  'service-policies',
  'edge-router-policies',
  'service-edge-router-policies',
  'posture-checks',
  'services',
  'edge-routers',
  'identities',
  'external-jwt-signers',
] as const;

const pageRows = 500;

/** Deletes everything with the marks of a run. @returns the number of deleted entities */
export async function cleanUp(target: Target, bulk: Bulk, marks: Marks): Promise<number> {
  if (marks.prefix === '') throw new RangeError('without a prefix everything would be deleted');
  const admin = new ApiClient(target);
  const { username, password } = target.administrator;
  const token = await admin.authenticate('management', username, password);
  let gone = 0;
  for (const kind of kinds) {
    const path = `/edge/management/v1/${kind}`;
    const filter = `name contains "${marks.prefix}"`;
    const query = new URLSearchParams({ filter, limit: String(pageRows) });
    for (;;) {
      const rows = (await admin.call('GET', `${path}?${query}`)) as readonly Named[];
      const ids = rows.filter(({ name }) => name.startsWith(marks.prefix)).map(({ id }) => id);
      if (ids.length === 0) break;
      const slots = { id: { kind: 'list', values: ids, every: 1 } } as const;
      const request = { method: 'DELETE', path: `${path}/{{id}}`, body: '', slots };
      await bulk(ids.length, { ...request, headers: { 'zt-session': token } }, { status: 200 });
      gone += ids.length;
    }
  }
  return gone;
}

interface Named {
  readonly id: string;
  readonly name: string;
}
