// The type of a flow, and its input.

import type { Inspector } from './inspector.ts';
import type { Stage } from './stage.ts';
import type { Appearance } from './visitor.ts';

/** What flows share, and what is new for each of them. */
export interface Scene {
  readonly stage: Stage;
  /** Somebody new in front of the page, who has seen nothing of it yet. */
  come(appearance?: Appearance): Promise<Inspector>;
}

/** A way of using the page, from the log-in to the end. */
export interface Flow {
  /** A sentence: what the visitor can do. */
  readonly title: string;
  /** It takes long and only measures: it is walked when a part of its title is asked for. */
  readonly isOnRequest?: boolean;
  /** It is walked at night, and when it is asked for: tests in one process hold most of it. */
  readonly isLeftToNight?: boolean;
  /** Of a flow that takes longer than others, ms. */
  readonly timeoutMs?: number;
  /** @throws when the page does not let the visitor */
  readonly walk: (scene: Scene) => Promise<void>;
}
