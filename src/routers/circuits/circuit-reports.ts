// What routers report about circuits that exist: ends, faults, idle times, late results
// (behaviour/control-channel#circuits).

import { type Frame, MalformedMessage, type MessageSteps } from '../../channel/channel-api.ts';
import { contentTypes } from '../../channel/content-types.ts';
import { decodeMessage, decodeParts, fabric } from '../../channel/messages/messages.ts';
import type { Environment } from '../../declare/operations/environment.ts';
import type { CircuitRecord } from '../../records/circuit.ts';
import { serviceKind } from '../../records/service.ts';
import type { ConnectedRouter, LinkFault, MessageHandler } from '../router-feature.ts';
import type { CircuitBuilds } from './circuit-builds.ts';
import type { CircuitEndings } from './circuit-endings.ts';
import type { CircuitRecords } from './circuit-records.ts';
import type { Reroutes } from './reroutes.ts';
import { circuitIdBytesMax, readRouteResult } from './route-result.ts';
import { rerouteAttempt } from './routes.ts';
import type { Unroutes } from './unroutes.ts';

/** Circuits looked up between two looks at the clock. */
const circuitsAStep = 64;
const nanosecondsPerMs = 1e6;
/**
 * How long a circuit keeps a path that a fault has led to, so that a router which reports one after
 * the other does not keep the others busy.
 */
const reroutePauseMs = 5000;

/** The parts that reports are handled with. */
export interface CircuitReportsOptions {
  readonly env: Environment;
  readonly records: CircuitRecords;
  readonly endings: CircuitEndings;
  readonly unroutes: Unroutes;
  readonly builds: CircuitBuilds;
  readonly reroutes: Reroutes;
  readonly linkFault: LinkFault;
}

/** The handlers of all reports about circuits, by content type. */
export function circuitReportHandlers(options: CircuitReportsOptions): [number, MessageHandler][] {
  return [
    [contentTypes.routeResult, (router, frame) => takeResult(options, router, frame)],
    [contentTypes.fault, (router, frame) => takeFault(options, router, frame)],
    [contentTypes.circuitConfirmation, (router, frame) => confirm(options, router, frame)],
  ];
}

function takeResult(options: CircuitReportsOptions, router: ConnectedRouter, frame: Frame): void {
  const { builds, reroutes, records, unroutes } = options;
  const result = readRouteResult(frame);
  if (result.attempt === rerouteAttempt) {
    reroutes.result(router, result);
    return;
  }
  if (builds.result(router, result, frame) || !result.isSuccess) return;
  // A late success: on the path, it is one of an earlier attempt and changes nothing.
  if (records.find(result.circuitId)?.routers.includes(router.id)) return;
  unroutes.send([router.id], result.circuitId, true);
}

function takeFault(
  options: CircuitReportsOptions,
  router: ConnectedRouter,
  frame: Frame,
): MessageSteps | undefined {
  const { INGRESS, EGRESS, LINK_FAULT, LINK_DUPLICATE, FORWARD, FORWARD_UNKNOWN_ORIGIN } =
    fabric.FaultSubject;
  const { subject, id, iteration } = decodeMessage(fabric.Fault, frame.body);
  switch (subject) {
    case INGRESS:
    case EGRESS:
      endFaulted(options, router, boundedId(id));
      return undefined;
    case LINK_FAULT:
    case LINK_DUPLICATE: {
      const isDuplicate = subject === LINK_DUPLICATE;
      // A missing iteration is read as 0; routers count from 1.
      const dialed = iteration === 0 ? undefined : iteration;
      options.linkFault(router, { linkId: boundedId(id), iteration: dialed, isDuplicate });
      return undefined;
    }
    case FORWARD:
    case FORWARD_UNKNOWN_ORIGIN:
      return rerouteFaulted(options, router, id, subject === FORWARD);
    default:
      // A later version of the protocol.
      return undefined;
  }
}

/** An end has closed; only the routers of the ends can say so. */
function endFaulted(
  { records, endings }: CircuitReportsOptions,
  router: ConnectedRouter,
  circuitId: string,
): void {
  const circuit = records.find(circuitId);
  if (circuit === undefined || !isEnd(circuit, router.id)) return;
  endings.end([circuitId], { now: false, actor: router.id, operation: 'closeCircuit' });
}

/** The router cannot pass on data of these circuits. */
function* rerouteFaulted(
  { env, records, reroutes, unroutes }: CircuitReportsOptions,
  router: ConnectedRouter,
  ids: string,
  isOriginKnown: boolean,
): MessageSteps {
  const recentMs = env.clock.now() - reroutePauseMs;
  let seen = 0;
  for (const id of wordsOf(ids)) {
    if (++seen % circuitsAStep === 0) yield;
    const circuit = records.find(id);
    if (circuit?.routers.includes(router.id)) {
      if (circuit.reroutes === 0 || circuit.updatedAt <= recentMs) reroutes.start(id);
    } else if (circuit?.state === 'rerouting' || circuit?.state === 'routing') continue;
    else if (isOriginKnown) unroutes.send([router.id], id, true);
  }
}

/** Idle circuits: those that the controller does not know are forgotten, old ones are ended. */
function* confirm(
  options: CircuitReportsOptions,
  router: ConnectedRouter,
  frame: Frame,
): MessageSteps {
  const { records, endings, unroutes } = options;
  const idleTimes = new Map<string, number>();
  for (const part of decodeParts(fabric.CircuitConfirmation, frame.body)) {
    for (const [id, idleNs] of Object.entries(part.idleTimes)) {
      if (records.find(id) !== undefined) idleTimes.set(id, idleNs);
    }
    yield;
  }
  // Read once more, as the ids come first, and those that nobody knows are not to be kept.
  let seen = 0;
  for (const { circuitIds } of decodeParts(fabric.CircuitConfirmation, frame.body)) {
    for (const id of circuitIds) {
      if (++seen % circuitsAStep === 0) yield;
      if (id.length > circuitIdBytesMax) continue;
      const circuit = records.find(id);
      if (circuit === undefined) unroutes.send([router.id], id, true);
      else if (circuit.state !== 'active') continue;
      else if (!circuit.routers.includes(router.id)) unroutes.send([router.id], id, true);
      else if (isEnd(circuit, router.id) && isTooIdle(options, circuit, idleTimes.get(id) ?? 0)) {
        endings.end([id], { now: true, actor: router.id, operation: 'endIdleCircuit' });
      }
    }
    yield;
  }
}

function isTooIdle(
  { env }: CircuitReportsOptions,
  circuit: CircuitRecord,
  idleNs: number,
): boolean {
  const service = env.store.table(serviceKind).find(circuit.serviceId);
  const maxMs = service?.record.maxIdleTimeMillis ?? 0;
  return maxMs > 0 && idleNs >= maxMs * nanosecondsPerMs;
}

function isEnd({ routers }: CircuitRecord, routerId: string): boolean {
  return routers[0] === routerId || routers.at(-1) === routerId;
}

function boundedId(id: string): string {
  if (id.length > circuitIdBytesMax) throw new MalformedMessage('the id of a fault is too long');
  return id;
}

/** The words of a text, without all of them in memory at once. */
function* wordsOf(text: string): Generator<string> {
  let start = 0;
  while (start < text.length) {
    const space = text.indexOf(' ', start);
    const end = space < 0 ? text.length : space;
    if (end > start && end - start <= circuitIdBytesMax) yield text.slice(start, end);
    start = end + 1;
  }
}
