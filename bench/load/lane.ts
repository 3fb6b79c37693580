// One kept-alive connection that is asked one request after the other.

import { type Connection, openConnection, type Peer } from './connection.ts';

/** A whole answer. */
export interface LaneAnswer {
  readonly status: number;
  /** Head and body. */
  readonly text: string;
}

/** One connection, with what its answers have said. */
export class Lane {
  /** The captures of a flow, by their names. */
  readonly known = new Map<string, string>();
  #connection: Connection | undefined;
  #take: (answer: LaneAnswer | string) => void = () => undefined;
  #lost = '';

  /** Rejects if the handshake fails. */
  static async open(peer: Peer): Promise<Lane> {
    const lane = new Lane();
    lane.#connection = await openConnection(
      peer,
      (status, bytes) => lane.#take({ status, text: bytes.toString('latin1') }),
      (reason) => {
        lane.#lost = reason;
        lane.#take(reason);
      },
    );
    return lane;
  }

  get isOpen(): boolean {
    return this.#lost === '';
  }

  /** @returns the answer, or why the connection was lost */
  ask(request: Buffer): Promise<LaneAnswer | string> {
    if (!this.isOpen) return Promise.resolve(this.#lost);
    return new Promise((resolve) => {
      this.#take = resolve;
      this.#connection?.send(request);
    });
  }

  close(): void {
    this.#connection?.close();
  }
}
