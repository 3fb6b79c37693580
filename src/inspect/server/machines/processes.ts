// The parts of the controller that run beside the requests, each with its state and its rates per
// second.

import { clusterNode } from '../../../../machines/cluster-node.ts';
import { integrityRun as integrityMachine } from '../../../../machines/integrity-run.ts';
import type { JournalHealth } from '../../../../snapshots/journal.ts';
import { lifeMeanings } from '../../../actors/controller-life.ts';
import { snapshotterMeanings } from '../../../actors/snapshotter.ts';
import type { Member } from '../../../cluster/membership.ts';
import { shownNode, shownNodeId } from '../../../cluster/node/node-name.ts';
import type { WatchedCluster } from '../../../cluster/node/watch.ts';
import type { Sources, WatchedCore } from '../../../monitoring/sources.ts';
import type { ProcessView, StateMeaning } from '../../messages.ts';

type Rate = (name: string) => number;

/** The processes of a controller, as far as it has started. */
export function processViews(sources: Sources, rate: Rate): readonly ProcessView[] {
  const { core, phase, phaseSinceMs: sinceMs } = sources;
  return [
    { name: 'controller', state: phase, meaning: lifeMeanings[phase], sinceMs, ...nothing },
    ...(core === undefined ? [] : coreViews(core, sources, rate)),
    ...clusterViews(sources),
    ...listenerViews(sources, rate),
  ];
}

const nothing = { detail: '', rates: {} };

const logWriterMeanings: Readonly<Record<JournalHealth['state'], StateMeaning>> = {
  writable: 'good',
  stalled: 'bad',
  failed: 'bad',
};

function coreViews(core: WatchedCore, sources: Sources, rate: Rate): ProcessView[] {
  return [
    logWriter(core, sources, rate),
    snapshotter(core),
    integrityRun(core, sources),
    ...logReader(core, sources),
  ];
}

function logWriter({ journal }: WatchedCore, sources: Sources, rate: Rate): ProcessView {
  const { health } = journal;
  return {
    name: 'log writer',
    state: health.state,
    meaning: logWriterMeanings[health.state],
    sinceMs: sources.logStateSinceMs,
    detail: health.state === 'writable' ? '' : health.reason,
    rates: { frames: rate('frames'), bytes: rate('bytes'), groups: rate('groups') },
  };
}

/** A thread that exists only while the log is read. */
function logReader(core: WatchedCore, sources: Sources): ProcessView[] {
  const name = 'log reader';
  const { isRunning } = core.logReader;
  const sinceMs = sources.seenSinceMs(name, isRunning ? 'running' : 'resting');
  return isRunning ? [{ name, state: 'running', meaning: 'good', sinceMs, ...nothing }] : [];
}

function snapshotter(core: WatchedCore): ProcessView {
  const { phase, phaseSinceMs, newest, figures } = core.snapshotter;
  const kept = newest && `the newest holds ${newest.records} records up to frame ${newest.lsn}`;
  return {
    name: 'snapshotter',
    state: phase,
    meaning: snapshotterMeanings[phase],
    sinceMs: phaseSinceMs,
    detail: figures.isFailing ? 'the last one could not be written: see the log' : (kept ?? ''),
    rates: {},
  };
}

function integrityRun({ integrity }: WatchedCore, { startedAtMs }: Sources): ProcessView {
  const { inProgress, startTime, endTime, results, error } = integrity.results;
  const found = results.length === 0 ? 'the last run found nothing' : `${results.length} findings`;
  const detail = error === '' ? found : `the last run ended early: ${error}`;
  const state = inProgress ? 'inProgress' : 'idle';
  return {
    name: 'integrity run',
    state,
    meaning: integrityMachine.meanings[state],
    sinceMs: (inProgress ? startTime : endTime) ?? startedAtMs,
    detail: endTime === undefined ? '' : detail,
    rates: {},
  };
}

/** The node of this process, then the others as far as it knows them. */
function clusterViews({ cluster }: Sources): ProcessView[] {
  if (cluster === undefined) return [];
  const { id, state, members, roleSinceMs } = cluster;
  const { role, term, last, leaderId, lagMs, inFlight, takeovers, clockSkewMs } = state;
  const troubles = [state.trouble, state.localLog].filter((text) => text !== undefined);
  const facts = [
    `term ${term}`,
    `leader ${leaderId === undefined ? 'unknown' : shownNodeId(leaderId, members)}`,
    `LSN ${last.lsn}`,
    role === 'leading' ? `${inFlight} groups in flight` : `${lagMs} ms behind`,
    `clock ${clockSkewMs} ms`,
    `${takeovers} takeovers`,
    ...troubles,
  ];
  const own = {
    name: `cluster node ${shownNodeId(id, members)}`,
    state: role,
    meaning: clusterNode.meanings[role],
    sinceMs: roleSinceMs,
  };
  const others = members.filter((member) => member.id !== id);
  return [{ ...own, detail: facts.join(', '), rates: {} }, ...others.map(otherNode(cluster))];
}

function otherNode(cluster: WatchedCluster): (member: Member) => ProcessView {
  return (member) => {
    const { role, term, last, advertised, version, condition, atMs } = member;
    const told =
      condition === undefined
        ? []
        : [`${condition.lagMs} ms behind`, `${condition.takeovers} takeovers`];
    const facts = [advertised, version, `term ${term}`, `LSN ${last.lsn}`, ...told];
    const isAway = cluster.isAway(member);
    return {
      name: `cluster node ${shownNode(member)}`,
      state: isAway ? 'away' : role,
      meaning: isAway ? 'bad' : clusterNode.meanings[role],
      sinceMs: atMs,
      detail: facts.join(', '),
      rates: {},
    };
  };
}

const listenerMeanings = { listening: 'good', draining: 'waiting' } as const;

function listenerViews(sources: Sources, rate: Rate): ProcessView[] {
  const { listeners, metricsAddress, phase, phaseSinceMs } = sources;
  const state = phase === 'draining' ? 'draining' : 'listening';
  const meaning = listenerMeanings[state];
  const views: ProcessView[] = [];
  for (const { name: listener, address, counters } of listeners?.watched ?? []) {
    const rates = { requests: rate(`${listener} requests`) };
    const detail = `${counters.requestsInFlight} requests in flight`;
    const name = `listener ${address}`;
    views.push({ name, state, meaning, sinceMs: phaseSinceMs, detail, rates });
  }
  if (listeners !== undefined) {
    const counters = listeners.frontCounters();
    const { connectionsOpen, handshakesUnfinished } = counters;
    const { tunnelsOpen, waitingForLeader } = counters;
    const facts = [
      `${connectionsOpen} connections`,
      `${handshakesUnfinished} handshakes under way`,
      ...(sources.cluster === undefined
        ? []
        : [`${tunnelsOpen} tunnels of other nodes`, `${waitingForLeader} wait for a leader`]),
    ];
    views.push({
      name: `TLS front, ${listeners.workers} workers`,
      state,
      meaning,
      sinceMs: phaseSinceMs,
      detail: facts.join(', '),
      rates: { connections: rate('tls connections') },
    });
  }
  if (metricsAddress !== undefined) {
    const name = `metrics listener ${metricsAddress}`;
    const sinceMs = sources.startedAtMs;
    views.push({ name, state: 'listening', meaning: 'good', sinceMs, ...nothing });
  }
  return views;
}
