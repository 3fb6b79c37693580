// A control connection whose bytes leave only as an answer gate lets them, so that a router is
// told nothing that the node may not tell (behaviour/cluster#answers).

import type { AnswerGate } from '../cluster/log/answer-gate.ts';
import { GatedQueue } from '../cluster/log/gated-queue.ts';
import type { ControlConnection, ControlConnectionListener } from './channel-api.ts';

/** Bytes that are held count as unsent, and are bounded by the channel as these are. */
export class GatedConnection implements ControlConnection {
  readonly address: string;
  readonly certificates: readonly Buffer[];
  readonly #connection: ControlConnection;
  readonly #queue: GatedQueue<readonly Buffer[]>;
  #heldBytes = 0;
  #isEnding = false;
  #isClosed = false;
  #listener: ControlConnectionListener | undefined;

  constructor(connection: ControlConnection, gate: AnswerGate) {
    this.address = connection.address;
    this.certificates = connection.certificates;
    this.#connection = connection;
    this.#queue = new GatedQueue(gate, (writes) => this.#leave(writes.flat()));
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
    this.#queue.add(chunks);
    if (!this.#queue.isEmpty) this.#heldBytes += bytesOf(chunks);
  }

  pause(): void {
    this.#connection.pause();
  }

  resume(): void {
    this.#connection.resume();
  }

  end(): void {
    this.#isEnding = true;
    if (this.#queue.isEmpty) this.#connection.end();
  }

  destroy(): void {
    this.#isClosed = true;
    this.#drop();
    this.#connection.destroy();
  }

  #leave(chunks: readonly Buffer[]): void {
    const wasHeld = this.#heldBytes > 0;
    if (wasHeld) this.#heldBytes -= bytesOf(chunks);
    this.#connection.write(chunks);
    if (!this.#queue.isEmpty) return;
    if (this.#isEnding) this.#connection.end();
    else if (wasHeld && this.#connection.unsentBytes === 0) this.#listener?.drained();
  }

  #drop(): void {
    this.#queue.clear();
    this.#heldBytes = 0;
  }
}

function bytesOf(chunks: readonly Buffer[]): number {
  return chunks.reduce((sum, { length }) => sum + length, 0);
}
