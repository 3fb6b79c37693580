// Runs a cluster command: connects it with the servers and the home, and turns what goes wrong into
// one sentence.

import { buildFormats } from '../../assembly/cluster/build-formats.ts';
import type { InviteOrder, NodeOrder } from '../../assembly/owner-orders.ts';
import type { ProcessContext } from '../../assembly/process-context.ts';
import type { ClusterAccess } from '../../cluster/access.ts';
import { NatsClusterAccess } from '../../cluster/nats/access.ts';
import { natsAccessOf } from '../../cluster/nats/configured-access.ts';
import { StreamUnreachable } from '../../cluster/stream.ts';
import { StartProblem } from '../../errors/errors.ts';
import { sendToOwnerSocket } from '../../http/server/owner-socket.ts';
import { createFetch } from '../../platform/fetch.ts';
import { printable } from '../../platform/printable.ts';
import { version } from '../../platform/version.ts';
import type { ClusterConfig } from '../../settings/cluster-config.ts';
import { behaviourSettings } from '../../settings/cluster-wide-settings.ts';
import type { Config } from '../../settings/config.ts';
import { formatHostPort } from '../../settings/setting-type.ts';
import { type ClusterCommand, newestStream } from './command.ts';
import { DiskHome } from './disk-home.ts';
import {
  type ClusterCommandName,
  invitedName,
  joinOrder,
  leavingNode,
  reseedOrder,
} from './flags.ts';
import { type JoinOrder, joinCluster } from './join.ts';
import { leaveCluster } from './leave.ts';
import type { NodeHome } from './node-home.ts';
import { readFacts, reportOf } from './report.ts';
import { reportLines } from './report-text.ts';
import { finalizeUpgrade, invite, type SendOrder, stepDown } from './running-node.ts';
import { initCluster, reseedCluster } from './seed.ts';

/** What the commands work with; tests replace it. */
export interface ClusterTools {
  /** Nothing is sent before the first call. */
  connect(cluster: ClusterConfig, config: Config, context: ProcessContext): ClusterAccess;
  homeOf(config: Config, context: ProcessContext): NodeHome;
}

/** The servers of NATS, and the disk of the machine. */
const realTools: ClusterTools = {
  connect: (cluster, { limits }, { clock, random, disk, readFile }) =>
    new NatsClusterAccess(natsAccessOf(cluster, limits, readFile), {
      replicas: cluster.replicas,
      monitoring: cluster.monitoring,
      fetch: createFetch({ clock }),
      clock,
      random,
      disk,
    }),
  homeOf: (config, { disk, clock }) => new DiskHome({ disk, clock, config }),
};

/** A command as it was typed. */
export interface TypedCommand {
  readonly name: ClusterCommandName;
  readonly flags: Readonly<Record<string, string | true>>;
  readonly config: Config;
  readonly context: ProcessContext;
  readonly tools?: ClusterTools;
}

/**
 * Runs it.
 * @returns whether all was done and nothing is wrong; otherwise the reason was printed
 * @throws StartProblem for a refusal; nothing was changed then
 */
export async function runClusterCommand(typed: TypedCommand): Promise<boolean> {
  const { config, tools = realTools, context } = typed;
  const { cluster } = config;
  if (cluster === undefined) {
    throw new StartProblem('cluster.servers is not set: name the NATS servers of the cluster.');
  }
  const access = tools.connect(cluster, config, context);
  const build = buildFormats();
  const command: ClusterCommand = {
    build,
    cluster,
    access,
    home: tools.homeOf(config, context),
    clock: context.clock,
    random: context.random,
    self: {
      name: cluster.name,
      version,
      formats: build.reads,
      advertised: formatHostPort(config.advertise),
      internal: formatHostPort(cluster.advertise),
      settingsHash: behaviourSettings(config),
    },
    out: (line) => context.out(`${printable(line)}\n`),
    err: (sentence) => context.err(`edge-control: ${printable(sentence)}\n`),
  };
  try {
    return await carryOut(command, typed);
  } catch (error) {
    if (!(error instanceof StreamUnreachable)) throw error;
    command.err(`The NATS servers cannot be asked: ${error.message}.`);
    return false;
  } finally {
    await access.close();
  }
}

async function carryOut(command: ClusterCommand, typed: TypedCommand): Promise<boolean> {
  const { name, flags, config, context } = typed;
  const send: SendOrder<NodeOrder | InviteOrder> = (order) =>
    sendToOwnerSocket(config.home, order, config.limits.drainTimeoutMs);
  switch (name) {
    case 'init':
      await initCluster(command);
      return true;
    case 'join':
      await joinBy(command, joinOrder(flags, context.directory, config.home), context);
      return true;
    case 'invite':
      return await invite(command, send, invitedName(flags));
    case 'status':
      return await showStatus(command, config, flags['json'] === true);
    case 'step-down':
      return await stepDown(command, send);
    case 'leave':
      await leaveCluster(command, leavingNode(flags));
      return true;
    case 'reseed':
      return await reseedCluster(command, reseedOrder(flags));
    case 'finalize':
      return await finalizeUpgrade(command, send);
  }
}

async function joinBy(
  command: ClusterCommand,
  order: JoinOrder,
  context: ProcessContext,
): Promise<void> {
  const { invitation } = order;
  if (invitation === undefined) return await joinCluster(command, order);
  const text = invitation === '-' ? await context.secretInput.ask('Invitation: ') : invitation;
  // Loaded only here: it speaks HTTPS.
  const { keysByInvitation } = await import('./invitation.ts');
  await joinCluster(command, order, () => keysByInvitation(text, context));
}

async function showStatus(
  command: ClusterCommand,
  { snapshot }: Config,
  isJson: boolean,
): Promise<boolean> {
  const { home, clock, cluster, out } = command;
  const dataSetId = home.dataSetId();
  const open = await newestStream(command, dataSetId);
  const { generation } = open.name;
  const facts = await readFacts(open, { dataSetId, generation, atMs: clock.now() });
  const snapshotAgeMs = snapshot.ageMinutes * 60_000;
  const report = reportOf(facts, { clockSkewMs: cluster.clockSkewMs, snapshotAgeMs });
  if (isJson) out(JSON.stringify(report));
  else for (const line of reportLines(report)) out(line);
  return report.problems.length === 0;
}
