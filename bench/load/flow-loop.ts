// The closed loop of flows: each connection begins its next flow when the last one has ended.

import type { FlowJob, FlowStep } from './flow.ts';
import type { JobResult } from './job.ts';
import { Lane } from './lane.ts';
import { Peers } from './peers.ts';
import { hostOf, requestText, slotText } from './request-bytes.ts';
import { type RunningLoop, runningLoops } from './running-loops.ts';
import { Window } from './window.ts';

/** Runs a job. Rejects when no connection can be opened; wrong answers are counted. */
export async function runFlowLoop(job: FlowJob): Promise<JobResult> {
  return await (await openFlowLoop(job))();
}

/** Opens the connections of a job. @returns a function that runs the job over them */
export async function openFlowLoop(job: FlowJob): Promise<() => Promise<JobResult>> {
  const loop = new FlowLoop(job);
  await loop.open();
  return () => loop.run();
}

/** The most wrong answers that are described in words. */
const samplesMax = 5;

class FlowLoop implements RunningLoop {
  readonly #job: FlowJob;
  readonly #host: string;
  readonly #window: Window;
  readonly #lanes: Lane[] = [];
  readonly #kept: string[] = [];
  readonly #samples: string[] = [];
  #sent = 0;
  #wrong = 0;
  #answerBytes = 0;
  #isEnded = false;

  constructor(job: FlowJob) {
    this.#job = job;
    this.#host = hostOf(job);
    this.#window = new Window(job);
  }

  async open(): Promise<void> {
    const { connections, first } = this.#job;
    const peers = new Peers(this.#job);
    for (let n = 0; n < connections; n++) {
      const lane = await Lane.open(peers.at(n));
      this.#lanes.push(lane);
      await this.#doSteps(lane, first, n);
    }
  }

  async run(): Promise<JobResult> {
    runningLoops.add(this);
    this.#window.start(performance.now());
    await Promise.all(this.#lanes.map((lane) => this.#runLane(lane)));
    runningLoops.delete(this);
    this.#window.finish(performance.now());
    for (const lane of this.#lanes) lane.close();
    // Wrong flows leave holes, which are passed over.
    const kept = this.#kept.filter(() => true);
    const distinctIds = new Set(kept).size;
    const repeated = kept.length - distinctIds;
    if (repeated > 0) this.#blame(`${repeated} ids came twice`);
    return {
      sent: this.#sent,
      ...this.#window.figures(),
      wrong: this.#wrong,
      wrongSamples: this.#samples,
      distinctIds,
      ids: Array.from(this.#kept, (id) => id ?? ''),
      answerBytes: this.#answerBytes,
    };
  }

  end(): void {
    this.#isEnded = true;
  }

  async #runLane(lane: Lane): Promise<void> {
    const { steps, firstRequest, requestsMax, keeps } = this.#job;
    while (lane.isOpen && !this.#isEnded && this.#sent < requestsMax) {
      const startedAt = performance.now();
      if (startedAt >= this.#window.end) return;
      const n = this.#sent++;
      const isRight = await this.#doSteps(lane, steps, n + firstRequest);
      const now = performance.now();
      this.#window.note(now, now - startedAt, false);
      if (isRight && keeps !== undefined) this.#kept[n] = lane.known.get(keeps) ?? '';
    }
  }

  /** @returns whether all answers were right; the first wrong one ends the flow */
  async #doSteps(lane: Lane, steps: readonly FlowStep[], n: number): Promise<boolean> {
    for (const step of steps) {
      const reason = await this.#doStep(lane, step, n);
      if (reason === undefined) continue;
      this.#blame(reason);
      return false;
    }
    return true;
  }

  async #doStep(lane: Lane, step: FlowStep, n: number): Promise<string | undefined> {
    const { request, status, captures } = step;
    const text = requestText(request, this.#host, (name) => {
      const slot = request.slots[name];
      return slot === undefined ? (lane.known.get(name) ?? '') : slotText(slot, n);
    });
    const answer = await lane.ask(Buffer.from(text));
    if (typeof answer === 'string') return `connection lost: ${answer}`;
    this.#answerBytes = answer.text.length;
    if (answer.status !== status) {
      return `${request.path}: status ${answer.status}, not ${status}: ${answer.text.slice(-300)}`;
    }
    for (const { name, after, until } of captures) {
      const mark = answer.text.indexOf(after);
      const start = mark + after.length;
      const end = answer.text.indexOf(until, start);
      if (mark < 0 || end < 0) return `${request.path}: an answer without ${name}`;
      lane.known.set(name, answer.text.slice(start, end));
    }
    return undefined;
  }

  #blame(reason: string): void {
    this.#wrong += 1;
    if (this.#samples.length < samplesMax) this.#samples.push(reason);
  }
}
