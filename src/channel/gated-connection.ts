// A control connection whose bytes leave only while an answer gate is open, so that a router is
// told nothing that the node may not tell (behaviour/cluster#answers).

import type { AnswerGate } from '../cluster/answer-gate.ts';
import type { ControlConnection, ControlConnectionListener } from './contract.ts';

/** Bytes that are held count as unsent, and are bounded by the channel as these are. */
export class GatedConnection implements ControlConnection {
  readonly address: string;
  readonly certificates: readonly Buffer[];
  readonly #connection: ControlConnection;
  readonly #gate: AnswerGate;
  #held: Buffer[] = [];
  #heldBytes = 0;
  #isEnding = false;
  #isClosed = false;
  #listener: ControlConnectionListener | undefined;

  constructor(connection: ControlConnection, gate: AnswerGate) {
    this.address = connection.address;
    this.certificates = connection.certificates;
    this.#connection = connection;
    this.#gate = gate;
  }

  get unsentBytes(): number {
    return this.#heldBytes + this.#connection.unsentBytes;
  }

  listen(listener: ControlConnectionListener): void {
    this.#listener = listener;
    this.#connection.listen({
      data: (bytes) => listener.data(bytes),
      drained: () => {
        if (this.#heldBytes === 0) listener.drained();
      },
      closed: () => {
        this.#isClosed = true;
        this.#drop();
        listener.closed();
      },
    });
  }

  write(chunks: readonly Buffer[]): void {
    if (this.#isClosed || this.#isEnding) return;
    if (this.#held.length === 0 && this.#gate.isOpen) {
      this.#connection.write(chunks);
      return;
    }
    if (this.#held.length === 0) this.#gate.onceOpen(() => this.#release());
    for (const chunk of chunks) {
      this.#held.push(chunk);
      this.#heldBytes += chunk.length;
    }
  }

  pause(): void {
    this.#connection.pause();
  }

  resume(): void {
    this.#connection.resume();
  }

  end(): void {
    this.#isEnding = true;
    if (this.#held.length === 0) this.#connection.end();
  }

  destroy(): void {
    this.#isClosed = true;
    this.#drop();
    this.#connection.destroy();
  }

  #release(): void {
    if (this.#held.length === 0) return;
    if (!this.#gate.isOpen) {
      this.#gate.onceOpen(() => this.#release());
      return;
    }
    const held = this.#held;
    this.#drop();
    this.#connection.write(held);
    if (this.#isEnding) this.#connection.end();
    else if (this.#connection.unsentBytes === 0) this.#listener?.drained();
  }

  #drop(): void {
    this.#held = [];
    this.#heldBytes = 0;
  }
}
