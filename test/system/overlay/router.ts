// The routers that carry the traffic of a scenario, each a process on a directory of its own.

import type { Endings } from '../endings.ts';
import { RunningProgram } from './program.ts';

/** Where a router lives, and where it accepts others. */
export interface RouterPlace {
  readonly home: string;
  readonly edgePort: number;
  /** Where it accepts links. */
  readonly linkPort: number;
}

/** A controller as routers are told of it. */
export interface ToldController {
  readonly id: string;
  readonly ctrlAddress: string;
}

/** A router: a program that is enrolled once, then started and killed. */
export interface Router {
  /** All that its processes have said. */
  readonly log: string;
  /** Enrolls by the JWT, for connections to this address. */
  enroll(jwt: string, controlAddress: string): Promise<void>;
  start(): void;
  kill(): Promise<void>;
  /** Whether it has written down what it was told of the controller; absent if it never does. */
  hasKept?(controller: ToldController): boolean;
}

/** Makes a router at a place. */
export type MakeRouter = (endings: Endings, place: RouterPlace) => Router;

/** Routers that are the Go program `twin`, which enrolls as it starts. */
export function twinRouters(program: string): MakeRouter {
  return (endings, place) => new Twin(endings, program, place);
}

class Twin implements Router {
  readonly #endings: Endings;
  readonly #program: string;
  readonly #place: RouterPlace;
  readonly #runs: RunningProgram[] = [];
  #enrollment = { jwt: '', controlAddress: '' };

  constructor(endings: Endings, program: string, place: RouterPlace) {
    this.#endings = endings;
    this.#program = program;
    this.#place = place;
  }

  get log(): string {
    return this.#runs.map(({ log }) => log).join('');
  }

  async enroll(jwt: string, controlAddress: string): Promise<void> {
    this.#enrollment = { jwt, controlAddress };
  }

  start(): void {
    const { home, edgePort } = this.#place;
    const order = { home, edgePort, ...this.#enrollment };
    this.#enrollment = { jwt: '', controlAddress: '' };
    const input = `${JSON.stringify(order)}\n`;
    this.#runs.push(new RunningProgram(this.#endings, [this.#program], input));
  }

  async kill(): Promise<void> {
    await this.#runs.at(-1)?.kill();
  }
}
