// Finds the circuits that a router still carries although they ended before the controller's last
// start (behaviour/control-channel#circuits).

import type { Frame, Message } from '../../channel/channel-api.ts';
import { contentTypes } from '../../channel/content-types.ts';
import { decodeMessage, encodeMessage, fabric } from '../../channel/messages/messages.ts';
import type { Log } from '../../observe/logs.ts';
import type { Slices } from '../../turns/slices.ts';
import type { ConnectedRouter } from '../router-feature.ts';
import type { CircuitRecords } from './circuit-records.ts';
import { circuitIdBytesMax } from './route-result.ts';
import type { Unroutes } from './unroutes.ts';

/** Bounds of what a router tells of its circuits. */
export const circuitInspectionBounds = {
  /**
   * Bytes of the answer, at some 250 per circuit. A longer one is not read: reading it would hold
   * up others, and the router reports idle circuits anyway. @bound per entity
   */
  inspectedBytesMax: 1024 * 1024,
};

/** What the inspection works with. */
export interface CircuitInspectionOptions {
  /** The id that routers know this controller by. */
  readonly controllerId: string;
  readonly records: Pick<CircuitRecords, 'find'>;
  readonly unroutes: Unroutes;
  readonly work: Pick<Slices, 'add'>;
  readonly log: Log;
  readonly bounds: typeof circuitInspectionBounds;
}

/**
 * Asks each router once, when it connects for the first time since the start. What it was to forget
 * is known only to the process that ended the circuit: a message may have been lost with that
 * process, or its router was away.
 */
export class CircuitInspection {
  readonly #options: CircuitInspectionOptions;
  readonly #asked = new Set<string>();
  #areUnknownKept = false;

  constructor(options: CircuitInspectionOptions) {
    this.#options = options;
  }

  /**
   * No process of this home has ended circuits before this one. Those that routers carry were made
   * by the former controller, and go on without us (behaviour/control-channel#circuits).
   */
  succeedFormer(): void {
    this.#areUnknownKept = true;
  }

  /** A router has connected. */
  connected(router: ConnectedRouter): void {
    if (this.#areUnknownKept || this.#asked.has(router.id)) return;
    router.channel.request(question, answerWithinMs, (reply) => {
      // A connection that is lost before the answer: the next one asks again.
      if (reply === undefined) return;
      this.#asked.add(router.id);
      this.#options.work.add(this.#compare(router.id, reply));
    });
  }

  /** Whether it knows of no router, so that there is nothing to forget. */
  get isEmpty(): boolean {
    return this.#asked.size === 0;
  }

  /** The router does not exist any more. */
  forget(routerId: string): void {
    this.#asked.delete(routerId);
  }

  *#compare(routerId: string, reply: Frame): Generator<undefined> {
    const { records, unroutes, log } = this.#options;
    let unknown = 0;
    let seen = 0;
    for (const id of this.#circuitsOf(routerId, reply)) {
      if (++seen % circuitsAStep === 0) yield;
      if (records.find(id) !== undefined) continue;
      unroutes.send([routerId], id, true);
      unknown += 1;
    }
    if (unknown > 0) {
      log.info({ routerId, circuits: unknown }, 'a router forgets circuits that have ended');
    }
  }

  /** The ids of those circuits that this controller has made. */
  *#circuitsOf(routerId: string, { contentType, body }: Frame): Generator<string> {
    const { bounds, log, controllerId } = this.#options;
    if (contentType !== contentTypes.inspectResponse) return;
    if (body.length > bounds.inspectedBytesMax) {
      log.warn({ routerId, bytes: body.length }, 'a router has too many circuits to compare them');
      return;
    }
    for (const [id, circuit] of Object.entries(shownCircuits(body))) {
      if (id.length <= circuitIdBytesMax && isOwn(circuit, controllerId)) yield id;
    }
  }
}

/** The circuits of an answer by id; none if the answer is not what was asked for. */
function shownCircuits(body: Buffer): object {
  try {
    const { values } = decodeMessage(fabric.InspectResponse, body);
    const text = values.find(({ name }) => name === circuitsName)?.value ?? '';
    const shown: unknown = text === '' ? {} : JSON.parse(text);
    const circuits = isObject(shown) ? shown['circuits'] : undefined;
    return isObject(circuits) ? circuits : {};
  } catch {
    // Other versions may answer in another form; what they still carry ends by its idle report.
    return {};
  }
}

function isOwn(circuit: unknown, controllerId: string): boolean {
  return isObject(circuit) && circuit['ctrlId'] === controllerId;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

/** The name of what is asked for. */
const circuitsName = 'router-circuits';

const question: Message = {
  contentType: contentTypes.inspectRequest,
  body: encodeMessage(fabric.InspectRequest, { requestedValues: [circuitsName] }),
};

/** Routers answer from the task that receives messages, one after the other. */
const answerWithinMs = 10_000;

/** Circuits compared between two looks at the clock. */
const circuitsAStep = 64;
