// Many clients refresh their tokens while others send requests. Their connections are already open,
// because the storm measures how handshakes slow others down.

import { figuresOf } from '../load/histogram.ts';
import { othersJob, targetOf } from '../others.ts';
import { type Figure, type RatioMeasurement, ratioRow, takeTurns } from '../ratio.ts';
import type { RowOptions } from '../ratio-rows.ts';
import { grouped } from '../report/goal-line.ts';
import type { Stage } from '../stage.ts';
import { refreshRequest } from './flows.ts';
import { connections } from './windows.ts';

const clients = 10_000;
/** All turns together. */
const minuteMs = 60_000;
const smokeMs = 500;

/** Measures the row; each turn has its part of the clients and of the minute. */
export async function measureRefreshes(
  { controller, generator, network }: Stage,
  { smoke, turns }: RowOptions,
  refreshTokens: readonly string[],
): Promise<RatioMeasurement> {
  const measureMs = smoke ? smokeMs : minuteMs / turns;
  const others = { ...othersJob(controller, network), warmUpMs: measureMs / 20, measureMs };
  let sent = 0;
  const ask = async (): Promise<Figure> => {
    const { latency, wrong } = await generator.run(others);
    return { value: figuresOf(latency).p99, wrong };
  };
  const askAndRefresh = async (): Promise<Figure> => {
    // By one process, as a second one would take the processors from the first.
    const [asked, refreshed] = await generator.runTogether([
      others,
      {
        ...targetOf(controller),
        connections,
        warmUpMs: 0,
        measureMs,
        rate: (clients * 1000) / minuteMs,
        firstRequest: sent,
        requestsMax: Number.MAX_SAFE_INTEGER,
        request: refreshRequest({ refresh: { kind: 'list', values: refreshTokens, every: 1 } }),
        expect: { status: 200, includes: '"refresh_token":"' },
      },
    ]);
    if (asked === undefined || refreshed === undefined) throw new Error('no result');
    sent += refreshed.sent;
    const wrong = asked.wrong + refreshed.wrong + (refreshed.sent === 0 ? 1 : 0);
    return { value: figuresOf(asked.latency).p99, wrong };
  };
  const done = await takeTurns(turns, askAndRefresh, ask);
  const work = `requests of others while ${grouped(clients)} clients refresh within a minute`;
  return ratioRow({ work, against: 'none refresh', figure: 'p99 ms', goal: 1.5 }, done);
}
