// One of the controllers that a run measures, with its network and the progress of scenarios on it.

import type { Network } from './network.ts';
import type { Scenario } from './scenario.ts';
import type { ControllerProcess } from './server/controller-process.ts';
import type { Target } from './target.ts';

/** A controller under measurement. */
export class Side {
  readonly target: Target;
  readonly network: Network;
  /** The process, if it was started here; only then can it be profiled. */
  readonly controller: ControllerProcess | undefined;
  readonly #sent = new Map<Scenario, number>();
  readonly #incapable = new Map<Scenario, string>();

  constructor(target: Target, network: Network, controller?: ControllerProcess) {
    this.target = target;
    this.network = network;
    this.controller = controller;
  }

  /** The number of requests of a scenario that were sent so far. */
  sentOf(scenario: Scenario): number {
    return this.#sent.get(scenario) ?? 0;
  }

  /** Counts sent requests of a scenario. */
  addSent(scenario: Scenario, count: number): void {
    this.#sent.set(scenario, this.sentOf(scenario) + count);
  }

  /** Why it cannot be measured with a scenario; undefined if it can, as far as is known. */
  refusal(scenario: Scenario): string | undefined {
    return this.#incapable.get(scenario);
  }

  /** Records that it does not support the scenario. */
  refuse(scenario: Scenario, reason: string): void {
    this.#incapable.set(scenario, reason);
  }
}
