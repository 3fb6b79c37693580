// One identity that hosts and dials by the stock Go SDK: the program `traffic`, told what to do.

import { createInterface } from 'node:readline';
import type { Endings } from '../endings.ts';
import type { Program } from '../process.ts';
import { RunningProgram } from './program.ts';

/** What the program is told, beside the number of the command. */
export type TrafficCommand =
  | { readonly do: 'host'; readonly service: string }
  | { readonly do: 'dial'; readonly service: string; readonly times: number }
  | { readonly do: 'send'; readonly service: string; readonly bytes: number }
  | { readonly do: 'flow'; readonly service: string; readonly name: string }
  | { readonly do: 'rounds' | 'close'; readonly name: string }
  | { readonly do: 'call' }
  /** Enrolls a second factor, and gives a code whenever the SDK asks for one. */
  | { readonly do: 'mfa' };

/** How the program begins. */
export interface TrafficOrder {
  readonly jwt: string;
  readonly identityFile: string;
  /** `https://host:port` that the identity is configured with; as enrolled when absent. */
  readonly url?: string | undefined;
}

/** What the program answers. */
export interface TrafficAnswer {
  readonly number?: number;
  readonly error: string;
  /** Of what was sent, and came back. */
  readonly digest?: string;
  /** Round trips of a flow. */
  readonly rounds: number;
  /** The flow that has ended by itself. */
  readonly ended?: string;
}

/** An identity with its SDK: of a program that takes the commands above, or some of them. */
export class TrafficUser {
  readonly program: RunningProgram;
  /** Flows that have ended by themselves, and why. */
  readonly ended = new Map<string, TrafficAnswer>();
  readonly #waiting = new Map<number, (answer: TrafficAnswer) => void>();
  #number = 0;

  constructor(endings: Endings, command: Program, order: TrafficOrder) {
    this.program = new RunningProgram(endings, command, `${JSON.stringify(order)}\n`);
    const { stdout } = this.program.child;
    if (stdout === null) throw new Error('the program has no output');
    createInterface(stdout).on('line', (line) => this.#hear(line));
    void this.program.ended.then(() => {
      for (const answer of this.#waiting.values()) {
        answer({ error: `the program has ended: ${this.program.log}`, rounds: 0 });
      }
    });
  }

  /** Carries out a command. @throws with the reason when it fails */
  async ask(command: TrafficCommand): Promise<TrafficAnswer> {
    const number = ++this.#number;
    const answer = await new Promise<TrafficAnswer>((resolve) => {
      this.#waiting.set(number, resolve);
      this.program.child.stdin?.write(`${JSON.stringify({ number, ...command })}\n`);
    });
    this.#waiting.delete(number);
    if (answer.error !== '') throw new Error(answer.error);
    return answer;
  }

  #hear(line: string): void {
    if (!line.startsWith('{')) return;
    const answer = JSON.parse(line) as TrafficAnswer;
    if (answer.ended !== undefined) this.ended.set(answer.ended, answer);
    if (answer.number !== undefined) this.#waiting.get(answer.number)?.(answer);
  }
}
