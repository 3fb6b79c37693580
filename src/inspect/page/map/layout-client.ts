// Asks the worker for the places of nodes, one order at a time.

import { createStore } from '@xstate/store';
import type { Camera } from './camera.ts';
import type { Drawing } from './drawing.ts';
import type { LayoutOrder } from './layout.ts';
import { type KnownPlaces, placeKey } from './places.ts';

/** The picture as it is looked at. */
interface LayoutState {
  /** Another map after each answer. */
  readonly places: KnownPlaces;
  /** Undefined for a view of the whole; it holds for the part of the map that is named. */
  readonly camera: { readonly part: string; readonly camera: Camera } | undefined;
}

const nothingPlaced: LayoutState = { places: new Map(), camera: undefined };

/** The worker with what it has answered. It lives as long as the page, and so the picture stays. */
export class LayoutClient {
  readonly store = createStore({
    context: nothingPlaced,
    on: {
      placed: (state, { places }: Pick<LayoutState, 'places'>) => ({ ...state, places }),
      looked: (state, { camera }: Pick<LayoutState, 'camera'>) => ({ ...state, camera }),
    },
  });
  readonly #workerPath: string;
  #worker: Worker | undefined;
  /** The order that the worker is working on. */
  #asked: LayoutOrder | undefined;
  #next: LayoutOrder | undefined;

  /** @param workerPath path of the worker's script on the host of the page */
  constructor(workerPath: string) {
    this.#workerPath = workerPath;
  }

  /** Asks for places, unless all are known. */
  arrange(drawing: Drawing, isAnew = false): void {
    const { places } = this.store.getSnapshot().context;
    const ids = drawing.nodes.map(({ id, isGroup }) => placeKey(id, isGroup));
    if (!isAnew && ids.every((id) => places.has(id))) return;
    const ends = Uint32Array.from(drawing.lines.flatMap(({ from, to }) => [from, to]));
    this.#next = { ids, ends, isAnew: isAnew || this.#next?.isAnew === true };
    this.#ask();
  }

  #ask(): void {
    if (this.#asked !== undefined || this.#next === undefined) return;
    if (this.#worker === undefined) {
      this.#worker = new Worker(this.#workerPath, { type: 'module' });
      this.#worker.addEventListener('message', ({ data }: MessageEvent<Float32Array>) => {
        this.#take(data);
      });
    }
    this.#asked = this.#next;
    this.#next = undefined;
    this.#worker.postMessage(this.#asked);
  }

  #take(answer: Float32Array): void {
    const { ids = [] } = this.#asked ?? {};
    this.#asked = undefined;
    const places = new Map(this.store.getSnapshot().context.places);
    for (const [n, id] of ids.entries())
      places.set(id, [answer[2 * n] ?? 0, answer[2 * n + 1] ?? 0]);
    this.store.send({ type: 'placed', places });
    this.#ask();
  }
}
