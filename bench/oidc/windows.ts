// Windows of measurement on one controller, of requests and of flows, and logins that prepare them.

import type { FlowJob } from '../load/flow.ts';
import type { LoadGenerator } from '../load/generator-process.ts';
import type { Job } from '../load/job.ts';
import { targetOf } from '../others.ts';
import { cpuFigure, type Figure } from '../ratio.ts';
import type { RowOptions } from '../ratio-rows.ts';
import { Refusal } from '../refusal.ts';
import type { Target } from '../target.ts';
import { type FirstFactor, loginSteps } from './flows.ts';

/** Connections of the load. A hundred logins of one address may wait for their first factor. */
export const connections = 64;

/** Windows are no longer, so that seven turns of all rows take minutes. */
const windowMsMax = 3000;

/** The length of a window. */
export function windowMsOf({ smoke, measureMs }: RowOptions): number {
  return smoke ? measureMs : Math.min(windowMsMax, measureMs);
}

/** The load of one window of requests. */
export type RequestLoad = Pick<Job, 'request' | 'expect'> &
  Partial<Pick<Job, 'client' | 'firstRequest'>>;

/** The load of one window of flows. */
export type FlowLoad = Pick<FlowJob, 'steps'> & Partial<Pick<FlowJob, 'client' | 'first'>>;

/** Windows on one controller. */
export class Windows {
  readonly #target: Target;
  readonly #generator: LoadGenerator;
  readonly #times: Pick<Job, 'connections' | 'measureMs' | 'warmUpMs'>;
  /** Requests sent so far, by their text. */
  readonly #sent = new Map<string, number>();

  constructor(target: Target, generator: LoadGenerator, options: RowOptions) {
    this.#target = target;
    this.#generator = generator;
    const windowMs = windowMsOf(options);
    this.#times = { connections, measureMs: windowMs, warmUpMs: windowMs / 5 };
  }

  /** CPU of each request. A window goes on where the last one with the same path has ended. */
  async requests(load: RequestLoad): Promise<Figure> {
    const { method, path } = load.request;
    const name = `${method} ${path}`;
    const sent = this.#sent.get(name) ?? 0;
    const result = await this.#generator.run({
      ...targetOf(this.#target),
      ...this.#times,
      requestsMax: Number.MAX_SAFE_INTEGER,
      firstRequest: sent,
      ...load,
    });
    this.#sent.set(name, sent + result.sent);
    return cpuFigure(result);
  }

  /** CPU of each flow. */
  async flows(load: FlowLoad): Promise<Figure> {
    return cpuFigure(await this.#generator.run({ ...this.#flowJob(), ...this.#times, ...load }));
  }

  /**
   * Logs in so often.
   * @param keeps which of the tokens are answered
   * @throws Refusal if a login was refused
   */
  async logIn(
    count: number,
    factor: FirstFactor,
    keeps: 'access' | 'refresh',
  ): Promise<readonly string[]> {
    const { ids, wrong, wrongSamples } = await this.#generator.run({
      ...this.#flowJob(),
      connections: Math.min(connections, count),
      warmUpMs: 0,
      measureMs: 3_600_000,
      requestsMax: count,
      steps: loginSteps(factor),
      keeps,
    });
    if (wrong > 0) throw new Refusal(`login by ${factor.method}: ${wrongSamples[0]}`);
    return ids;
  }

  #flowJob() {
    const { collectIds, ...place } = targetOf(this.#target);
    return { ...place, requestsMax: Number.MAX_SAFE_INTEGER, first: [] };
  }
}
