// A control connection in memory, with both of its ends. Bytes arrive in a later turn of the clock.

import type {
  ControlConnection,
  ControlConnectionListener,
} from '../../src/channel/channel-api.ts';
import type { Clock } from '../../src/platform/ports.ts';

/** The router's end of a control connection. */
export interface RouterWire {
  /** Sets what is called from then on; what has arrived earlier is kept. */
  listen(listener: Pick<ControlConnectionListener, 'closed' | 'data'>): void;
  write(chunks: readonly Buffer[]): void;
  /** Stops and resumes reading. */
  pause(): void;
  resume(): void;
  close(): void;
}

/** A control connection of a simulated router. */
export class SimulatedControlConnection implements ControlConnection {
  readonly address: string;
  readonly certificates: readonly Buffer[];
  /** Whether either side has closed it. */
  isClosed = false;
  /** Whether the controller has closed it, once all that it had written arrived. */
  #isEnding = false;
  readonly #toRouter: Direction;
  readonly #toController: Direction;
  #listener: ControlConnectionListener | undefined;
  #router: Pick<ControlConnectionListener, 'closed' | 'data'> | undefined;

  constructor(
    clock: Clock,
    { address = '192.0.2.1', certificates = [] as readonly Buffer[] } = {},
  ) {
    this.address = address;
    this.certificates = certificates;
    this.#toRouter = new Direction(clock, (bytes) => this.#router?.data(bytes), {
      emptied: () => this.#emptied(),
    });
    this.#toController = new Direction(clock, (bytes) => this.#listener?.data(bytes));
    this.#toRouter.isPaused = true;
    this.#toController.isPaused = true;
  }

  /** The other end. */
  get router(): RouterWire {
    return {
      listen: (listener) => {
        this.#router = listener;
        this.#toRouter.resume();
      },
      write: (chunks) => this.#toController.write(chunks),
      pause: () => this.#toRouter.pause(),
      resume: () => this.#toRouter.resume(),
      close: () => this.destroy(),
    };
  }

  /** Whether the controller has stopped reading. */
  get isPaused(): boolean {
    return this.#toController.isPaused;
  }

  get unsentBytes(): number {
    return this.#toRouter.bytes;
  }

  listen(listener: ControlConnectionListener): void {
    this.#listener = listener;
    this.#toController.resume();
  }

  write(chunks: readonly Buffer[]): void {
    if (!this.isClosed && !this.#isEnding) this.#toRouter.write(chunks);
  }

  pause(): void {
    this.#toController.pause();
  }

  resume(): void {
    this.#toController.resume();
  }

  end(): void {
    this.#isEnding = true;
    this.#toController.stop();
    if (this.#toRouter.bytes === 0) this.destroy();
  }

  destroy(): void {
    if (this.isClosed) return;
    this.isClosed = true;
    this.#toRouter.stop();
    this.#toController.stop();
    this.#router?.closed();
    this.#listener?.closed();
  }

  #emptied(): void {
    if (this.#isEnding) this.destroy();
    else this.#listener?.drained();
  }
}

/** Bytes on their way from one end to the other. */
class Direction {
  isPaused = false;
  bytes = 0;
  readonly #clock: Clock;
  readonly #arrived: (bytes: Buffer) => void;
  readonly #emptied: () => void;
  #chunks: Buffer[] = [];
  #isDue = false;
  #isStopped = false;

  constructor(clock: Clock, arrived: (bytes: Buffer) => void, { emptied = () => {} } = {}) {
    this.#clock = clock;
    this.#arrived = arrived;
    this.#emptied = emptied;
  }

  write(chunks: readonly Buffer[]): void {
    if (this.#isStopped) return;
    for (const chunk of chunks) {
      this.#chunks.push(chunk);
      this.bytes += chunk.length;
    }
    this.#deliverLater();
  }

  pause(): void {
    this.isPaused = true;
  }

  resume(): void {
    this.isPaused = false;
    this.#deliverLater();
  }

  stop(): void {
    this.#isStopped = true;
    this.#chunks = [];
    this.bytes = 0;
  }

  #deliverLater(): void {
    if (this.#isDue || this.isPaused || this.#chunks.length === 0) return;
    this.#isDue = true;
    this.#clock.soon(() => this.#deliver());
  }

  #deliver(): void {
    this.#isDue = false;
    if (this.isPaused || this.#chunks.length === 0) return;
    // A copy, as a router and its controller share no memory.
    const bytes = Buffer.concat(this.#chunks);
    this.#chunks = [];
    this.bytes = 0;
    this.#arrived(bytes);
    if (this.bytes === 0 && !this.#isStopped) this.#emptied();
  }
}
