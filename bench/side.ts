// One of the controllers that a run measures, with its network and how far scenarios have come on
// it.

import type { Network } from './network.ts';
import type { Scenario } from './scenario.ts';
import type { ControllerProcess } from './server/controller-process.ts';
import type { Target } from './target.ts';

/** A controller under measurement. */
export class Side {
  readonly target: Target;
  readonly network: Network;
  /** Where it was started here: only then can it be profiled. */
  readonly controller: ControllerProcess | undefined;
  readonly #sent = new Map<Scenario, number>();
  readonly #incapable = new Map<Scenario, string>();

  constructor(target: Target, network: Network, controller?: ControllerProcess) {
    this.target = target;
    this.network = network;
    this.controller = controller;
  }

  /** Requests of a scenario that were sent so far. */
  sentOf(scenario: Scenario): number {
    return this.#sent.get(scenario) ?? 0;
  }

  /** Requests of a scenario were sent. */
  addSent(scenario: Scenario, count: number): void {
    this.#sent.set(scenario, this.sentOf(scenario) + count);
  }

  /** Why it can't be measured at a scenario; undefined where nothing is known against it. */
  refusal(scenario: Scenario): string | undefined {
    return this.#incapable.get(scenario);
  }

  /** It turned out not to do what the scenario asks. */
  refuse(scenario: Scenario, reason: string): void {
    this.#incapable.set(scenario, reason);
  }
}
