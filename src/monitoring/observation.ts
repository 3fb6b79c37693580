// How a controller is doing, for its operations and listeners.

import type { Figures, ProcessView } from '../inspect/messages.ts';
import { type Log, type LogLevel, logLevels } from '../observe/logs.ts';
import { FiguresSampler } from './figures-sampler.ts';
import { type Health, healthOf } from './health-checks.ts';
import { createMetrics, type Metrics } from './metrics.ts';
import type { Sources } from './sources.ts';

/** Observes a controller. It costs nothing while nobody asks. */
export interface Observation {
  /**
   * Present levels, and rates over the last second. A call keeps the sampling going for some
   * seconds.
   */
  figures(): Figures;
  /** By how much a total of the sampler grew per second. */
  rate(name: string): number;
  /** The parts of the controller that run beside the requests. */
  processes(): readonly ProcessView[];
  health(): Health;
  /** All metrics as Prometheus reads them. */
  metricsText(): Promise<string>;
  /** The lowest level that is logged. */
  readonly logLevel: LogLevel;
  /** Changes it until the next start. `actor` is the id of the identity that changes it. */
  setLogLevel(level: LogLevel, actor: string): void;
}

/** What an observation needs. */
export interface ObservationOptions {
  readonly sources: Sources;
  readonly log: Log;
  /** Makes the list of processes; its code is in a higher layer. */
  readonly processes: (sources: Sources, rate: (name: string) => number) => readonly ProcessView[];
}

/** Observes the parts in `sources`. */
export function createObservation({ sources, log, processes }: ObservationOptions): Observation {
  const sampler = new FiguresSampler(sources);
  const rate = (name: string) => sampler.rate(name);
  let metrics: Metrics | undefined;
  return {
    figures: () => sampler.figures,
    rate,
    processes: () => processes(sources, rate),
    health: () => healthOf(sources),
    metricsText() {
      metrics ??= createMetrics(sources);
      return metrics.text();
    },
    get logLevel() {
      return log.level;
    },
    setLogLevel(level, actor) {
      const tell = () => {
        log.info({ logLevel: level, actor }, 'the log level was changed until the next start');
      };
      // Both switching such lines off and switching them on are logged, with the actor.
      const isTold = isHeard('info', log.level);
      if (isTold) tell();
      log.level = level;
      if (!isTold) tell();
    },
  };
}

/** Whether lines of `level` are logged when `least` is the lowest logged level. */
function isHeard(level: LogLevel, least: LogLevel): boolean {
  return logLevels.indexOf(level) >= logLevels.indexOf(least);
}
