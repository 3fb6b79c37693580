// A controller that does not announce OIDC and has no OIDC session, against the revision before
// there was a provider.

import { homeSize } from '../home-size.ts';
import type { LoadGenerator } from '../load/generator-process.ts';
import { measure } from '../measure.ts';
import { type Figure, type RatioMeasurement, ratioRow, takeTurns } from '../ratio.ts';
import type { RowOptions } from '../ratio-rows.ts';
import type { Revision } from '../revision.ts';
import type { Scenario } from '../scenario.ts';
import { scenarios } from '../scenarios.ts';
import { Side } from '../side.ts';
import { onStage, type Stage } from '../stage.ts';
import { connections, windowMsOf } from './windows.ts';

/** The last revision without the provider. */
export const beforeOidc = '64ab3bc5';

/** Logins, session creates and lists. */
const names: ReadonlySet<string> = new Set([
  'authenticate',
  'authenticate-cert-kept',
  'session-create-1000',
  'services-list-front',
  'identities-page-id',
]);

/** Measures a row for each scenario. */
export async function measureUnusedOidc(
  options: RowOptions,
  before: Revision | undefined,
  tell: (row: RatioMeasurement) => void,
): Promise<void> {
  const size = homeSize(1000, options.smoke);
  const settings = { oidc: { announce: 'none' } };
  const root = before?.root;
  await onStage({ name: 'oidc-unused', size, settings }, async (here) => {
    await onStage({ name: 'oidc-before', size, root }, async (there) => {
      const [mine, other] = [sideOf(here), sideOf(there)];
      for (const scenario of scenarios.filter(({ name }) => names.has(name))) {
        const window = (side: Side) => windowOf(side, here.generator, scenario, options);
        const inTurns = (turns: number) =>
          takeTurns(
            turns,
            () => window(mine),
            () => window(other),
          );
        // Code that was never run before is slow.
        await inTurns(1);
        const done = await inTurns(options.turns);
        const work = `${scenario.title}, without an OIDC session`;
        const against = before?.name ?? 'itself';
        tell(ratioRow({ work, against, figure: 'CPU µs', goal: 1.03 }, done));
      }
    });
  });
}

function sideOf({ controller, network }: Stage): Side {
  return new Side(controller, network, controller);
}

async function windowOf(
  side: Side,
  generator: LoadGenerator,
  scenario: Scenario,
  options: RowOptions,
): Promise<Figure> {
  const measureMs = windowMsOf(options);
  const times = { warmUpMs: measureMs / 5, measureMs };
  const how = { side, generator, scenario, connections, ...times, profileDirectory: undefined };
  const { cpuMicros = 0, wrong } = await measure(how);
  return { value: cpuMicros, wrong };
}
