// An inspector's WebSocket whose messages leave only as an answer gate lets them
// (behaviour/cluster#answers).

import type { AnswerGate } from '../../../cluster/log/answer-gate.ts';
import { GatedQueue } from '../../../cluster/log/gated-queue.ts';
import type { Socket } from '../../../http/server/sockets.ts';

type Message = Uint8Array | string;

/** Bytes that are held count as buffered, so its sender bounds them. */
export class GatedSocket implements Socket {
  readonly #socket: Socket;
  readonly #queue: GatedQueue<readonly Message[]>;
  #heldBytes = 0;

  constructor(socket: Socket, gate: AnswerGate) {
    this.#socket = socket;
    this.#queue = new GatedQueue(gate, (sends) => this.#leave(sends.flat()));
  }

  get isOpen(): boolean {
    return this.#socket.isOpen;
  }

  get bufferedBytes(): number {
    return this.#heldBytes + this.#socket.bufferedBytes;
  }

  send(...messages: readonly Message[]): void {
    if (!this.isOpen) return;
    this.#queue.add(messages);
    if (!this.#queue.isEmpty) this.#heldBytes += bytesOf(messages);
  }

  close(code: number, reason: string): void {
    this.#drop();
    this.#socket.close(code, reason);
  }

  terminate(): void {
    this.#drop();
    this.#socket.terminate();
  }

  #leave(messages: readonly Message[]): void {
    if (this.#heldBytes > 0) this.#heldBytes -= bytesOf(messages);
    this.#socket.send(...messages);
  }

  #drop(): void {
    this.#queue.clear();
    this.#heldBytes = 0;
  }
}

function bytesOf(messages: readonly Message[]): number {
  return messages.reduce((sum, message) => sum + Buffer.byteLength(message), 0);
}
