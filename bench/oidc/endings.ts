// Clients log out whose circuits routers carry: how soon the last router was told of its circuit's
// end.

import { medianOf } from '../compare.ts';
import { Lane } from '../load/lane.ts';
import { Peers } from '../load/peers.ts';
import { hostOf, requestText } from '../load/request-bytes.ts';
import { targetOf } from '../others.ts';
import { type Figure, type RatioMeasurement, ratioRow, takeTurns } from '../ratio.ts';
import type { RowOptions } from '../ratio-rows.ts';
import { grouped } from '../report/goal-line.ts';
import {
  type ArrivalsAnswer,
  type DialRight,
  type MadeAnswer,
  machineMs,
} from '../routers/traffic-job.ts';
import { mustMake } from '../routers/traffic-routers.ts';
import { hostedService, type TrafficStage } from '../routers/traffic-stage.ts';
import { clientsByOidc } from './clients.ts';
import type { Windows } from './windows.ts';

const sizes = {
  full: { clients: 100, circuitsEach: 100, endsEach: 5 },
  smoke: { clients: 2, circuitsEach: 10, endsEach: 1 },
} as const;

/**
 * Measures the row. Clients with a session of each sort dial and end in turns, while others keep
 * their circuits.
 */
export async function measureOidcEndings(
  stage: TrafficStage,
  windows: Windows,
  { smoke, turns }: RowOptions,
  sessions: number,
): Promise<RatioMeasurement> {
  const { clients, circuitsEach, endsEach } = sizes[smoke ? 'smoke' : 'full'];
  const { routers } = stage;
  const staying = await hostedService(stage, 'staying', routers, clients);
  await dial(stage, staying.clients, clients * circuitsEach);
  const ended = await hostedService(stage, 'ended', routers, (turns + 1) * endsEach);
  const byOidc = await clientsByOidc(stage, windows, ended);
  const end = async (rights: readonly DialRight[], turn: number): Promise<Figure> => {
    const found: Figure[] = [];
    for (const right of rights.slice(turn * endsEach, (turn + 1) * endsEach)) {
      found.push(await endOne(stage, right, circuitsEach));
    }
    const wrong = found.reduce((sum, one) => sum + one.wrong, 0);
    return { value: medianOf(found.map(({ value }) => value)), wrong };
  };
  // The first ends run code that was never run before.
  await end(byOidc, turns);
  await end(ended.clients, turns);
  const done = await takeTurns(
    turns,
    (turn) => end(byOidc, turn),
    (turn) => end(ended.clients, turn),
  );
  const all = grouped(clients * circuitsEach);
  const work = `log-out of one of ${grouped(sessions)} OIDC sessions, ${all} circuits in all`;
  const against = 'that of an API session';
  const figure = `ms until the last of its ${circuitsEach} circuits was ended`;
  return ratioRow({ work, against, figure, goal: 1.2 }, done);
}

/** A client dials, and logs out over a connection that is open already. */
async function endOne(stage: TrafficStage, right: DialRight, circuits: number): Promise<Figure> {
  const { controller, fleet } = stage;
  await dial(stage, [right], circuits);
  const place = targetOf(controller);
  const lane = await Lane.open(new Peers(place).at(0));
  try {
    const headers = credentialOf(right);
    const path = '/edge/client/v1/current-api-session';
    const request = { method: 'DELETE', path, headers, body: '' };
    const bytes = Buffer.from(requestText(request, hostOf(place), () => ''));
    const startMs = machineMs();
    const answer = await lane.ask(bytes);
    const job = { kind: 'arrivals', circuits, timeoutMs: 10_000 } as const;
    const { lastUnrouteAtMs, unroutes } = await fleet.ask<ArrivalsAnswer>(job);
    const isRight = typeof answer === 'object' && answer.status === 200;
    const wrong = Math.abs(circuits - unroutes) + (isRight ? 0 : 1);
    return { value: lastUnrouteAtMs - startMs, wrong };
  } finally {
    lane.close();
  }
}

async function dial(
  { fleet, routers }: TrafficStage,
  clients: readonly DialRight[],
  circuits: number,
): Promise<void> {
  mustMake(await fleet.ask<MadeAnswer>({ kind: 'dial', clients, circuits, routers }), circuits);
}

function credentialOf(right: DialRight): Readonly<Record<string, string>> {
  return 'accessToken' in right
    ? { authorization: `Bearer ${right.accessToken}` }
    : { 'zt-session': right.apiSessionToken };
}
