// The stage of the scenes of a cluster: three NATS servers that sync each message, three nodes, and
// the load generator.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { builtMain } from '../../.ci/build.ts';
import { nodeDisk } from '../../snapshots/home/disk.ts';
import { readManifest } from '../../snapshots/home/manifest.ts';
import { readMembership } from '../../snapshots/home/membership.ts';
import type { DataSet } from '../../src/cluster/nats/names.ts';
import { Endings, temporaryDirectory } from '../../test/system/endings.ts';
import { Cluster } from '../../test/system/nats/cluster.ts';
import { type NatsServers, startServers } from '../../test/system/nats/server.ts';
import {
  adminPassword,
  type Program,
  type Serving,
  startProcess,
  whenReady,
} from '../../test/system/process.ts';
import { rivalArgon2 } from '../home.ts';
import { LoadGenerator } from '../load/generator-process.ts';
import { openLimits } from '../open-limits.ts';
import { nodePath } from '../server/controller-process.ts';
import type { Target } from '../target.ts';
import { Supervisor } from './supervisor.ts';

/** A cluster that is well, and what loads it. */
export interface ClusterStage {
  readonly servers: NatsServers;
  readonly cluster: Cluster;
  readonly supervisor: Supervisor;
  readonly generator: LoadGenerator;
  /** A controller without a cluster, with the same settings, on a home of its own. */
  serveAlone(): Promise<Serving>;
}

const root = fileURLToPath(new URL('../..', import.meta.url));

/** The program that `npm start` runs. */
const program: Program = [nodePath, '--disable-warning=ExperimentalWarning', join(root, builtMain)];

/** Settings of all controllers of the stage; the TLS workers are as many as by default. */
const settings = { argon2: rivalArgon2, tlsWorkers: undefined, limits: openLimits(root) };

const nodes = [0, 1, 2] as const;

/**
 * Runs `play` on a new stage, which is removed afterwards.
 * @throws Lacking where there is no NATS server
 */
export async function onClusterStage<T>(play: (stage: ClusterStage) => Promise<T>): Promise<T> {
  const endings = new Endings();
  const forget = endWithSignals(endings);
  const generator = new LoadGenerator();
  try {
    const servers = await startServers(endings, { count: 3, isTls: true });
    const wanted = { servers, endings, count: 3, configuration: settings, program } as const;
    const cluster = await Cluster.open(wanted);
    await cluster.begin();
    for (const index of nodes.slice(1)) await cluster.join(index);
    await cluster.well();
    const supervisor = new Supervisor(cluster);
    endings.teardown(() => supervisor.end());
    const alone = () => serveAlone(endings);
    return await play({ servers, cluster, supervisor, generator, serveAlone: alone });
  } finally {
    generator.stop();
    await endings.run();
    forget();
  }
}

/** A node as a target; its process is the one whose CPU is measured. */
export function targetOfNode({ home, port, process: { child } }: Serving): Target {
  return {
    host: '127.0.0.1',
    port,
    serverName: 'localhost',
    caFile: join(home, 'pki/ca.pem'),
    administrator: { username: 'admin', password: adminPassword },
    pid: child.pid,
    home,
  };
}

/** The nodes: the one that leads, and the others. */
export async function rolesOf({ cluster }: Pick<ClusterStage, 'cluster'>) {
  const leader = await cluster.leader();
  return { leader, followers: nodes.filter((index) => index !== leader) };
}

/** Which log the nodes share. */
export function dataSetOf(cluster: Cluster): DataSet {
  const home = cluster.home(0);
  const dataSetId = readManifest(nodeDisk, home)?.dataSetId ?? '';
  return { dataSetId, generation: readMembership(nodeDisk, home)?.generation ?? 0 };
}

async function serveAlone(endings: Endings): Promise<Serving> {
  const home = join(temporaryDirectory(endings, 'edge-alone-'), 'home');
  mkdirSync(home, { mode: 0o700 });
  writeFileSync(join(home, 'config.json'), JSON.stringify(settings), { mode: 0o600 });
  return await whenReady(startProcess(endings, home, ['--ctrl-listen', 'none'], program), home);
}

/** Servers and nodes must not outlive a bench that is told to end. @returns the way back */
function endWithSignals(endings: Endings): () => void {
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  const end = (): void => void endings.run().finally(() => process.exit(1));
  for (const signal of signals) process.once(signal, end);
  return () => {
    for (const signal of signals) process.off(signal, end);
  };
}
