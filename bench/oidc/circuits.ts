// Circuits of a client that logged in by OIDC, against those of a client with a session.

import { type Figure, type RatioMeasurement, ratioRow, takeTurns } from '../ratio.ts';
import type { RowOptions } from '../ratio-rows.ts';
import type { DialRight, WorkAnswer } from '../routers/traffic-job.ts';
import { hostedService, onTrafficStage } from '../routers/traffic-stage.ts';
import { circuitsOf } from '../routers/work-rows.ts';
import { clientsByOidc } from './clients.ts';
import { Windows, windowMsOf } from './windows.ts';

/** Measures the row. */
export async function measureOidcCircuits(options: RowOptions): Promise<RatioMeasurement> {
  const { smoke, turns } = options;
  const how = { smoke, measureMs: windowMsOf(options), profileDirectory: undefined };
  return await onTrafficStage({ ...how, name: 'oidc-circuits' }, async (stage) => {
    const service = await hostedService(stage, 'carried', 1, 1);
    const windows = new Windows(stage.controller, stage.generator, options);
    const [client] = await clientsByOidc(stage, windows, service);
    const { tokens, ...job } = circuitsOf(stage, service);
    if (client === undefined) throw new Error('there is no client');
    const create = async (right: DialRight): Promise<Figure> => {
      const asked = { kind: 'circuits', ...job, tokens: right } as const;
      const { createMicros, wrong } = await stage.fleet.ask<WorkAnswer>(asked);
      return { value: createMicros, wrong };
    };
    const done = await takeTurns(
      turns,
      () => create(client),
      () => create(tokens),
    );
    const against = 'the same with the tokens of sessions';
    const work = 'circuit create with a known access token';
    return ratioRow({ work, against, figure: 'CPU µs', goal: 1.1 }, done);
  });
}
