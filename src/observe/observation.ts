// How a controller is doing, as its operations and listeners ask for it.

import type { Figures, ProcessView } from '../inspect/contract.ts';
import { FiguresSampler } from './figures.ts';
import { type Health, healthOf } from './health.ts';
import { type Log, type LogLevel, logLevels } from './logs.ts';
import type { Sources } from './sources.ts';

/** Looks at a controller. Costs nothing while nobody asks. */
export interface Observation {
  /** Levels now, rates over the last second; asking keeps the sampling going for some seconds. */
  figures(): Figures;
  /** How much a total of the sampler grew a second. */
  rate(name: string): number;
  /** What lives beside the requests. */
  processes(): readonly ProcessView[];
  health(): Health;
  /** The least level that is logged. */
  readonly logLevel: LogLevel;
  /** Changes it until the next start. `actor` is the id of the identity that did. */
  setLogLevel(level: LogLevel, actor: string): void;
}

/** What an observation is made of. */
export interface ObservationOptions {
  readonly sources: Sources;
  readonly log: Log;
  /** Makes the list of processes; it stands above this folder. */
  readonly processes: (sources: Sources, rate: (name: string) => number) => readonly ProcessView[];
}

/** Looks at what `sources` hold. */
export function createObservation({ sources, log, processes }: ObservationOptions): Observation {
  const sampler = new FiguresSampler(sources);
  const rate = (name: string) => sampler.rate(name);
  return {
    figures: () => sampler.figures,
    rate,
    processes: () => processes(sources, rate),
    health: () => healthOf(sources),
    get logLevel() {
      return log.level;
    },
    setLogLevel(level, actor) {
      const tell = () => {
        log.info({ logLevel: level, actor }, 'the log level was changed until the next start');
      };
      // Who turns such lines off is told of, and who turns them on.
      const isTold = isHeard('info', log.level);
      if (isTold) tell();
      log.level = level;
      if (!isTold) tell();
    },
  };
}

/** Whether lines of a level are logged at a least level. */
function isHeard(level: LogLevel, least: LogLevel): boolean {
  return logLevels.indexOf(level) >= logLevels.indexOf(least);
}
