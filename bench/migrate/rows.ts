// Measures the takeover of a network of the peer: its migration, the first start of its home, and
// logins there.

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Timing } from '../commands/timed-process.ts';
import { makeHome } from '../home.ts';
import { LoadGenerator } from '../load/generator-process.ts';
import {
  type Figure,
  type RatioGoal,
  type RatioMeasurement,
  type RatioTurn,
  ratioRow,
  takeTurns,
} from '../ratio.ts';
import type { RowOptions } from '../ratio-rows.ts';
import { grouped } from '../report/goal-line.ts';
import { sampleMemory } from '../server/process-figures.ts';
import { makePeerNetwork, type PeerSize } from './peer-network.ts';
import { Takeover } from './takeover.ts';

interface Sizes {
  readonly large: PeerSize;
  /** As the sample of a network in the field is. */
  readonly sample: PeerSize;
}

const sizes: Readonly<Record<'full' | 'smoke', Sizes>> = {
  full: {
    large: {
      identities: 100_000,
      services: 10_000,
      routers: 1000,
      passwords: 100,
      keyType: 'ec-p256',
    },
    sample: { identities: 310, services: 301, routers: 3, passwords: 3, keyType: 'rsa-4096' },
  },
  smoke: {
    large: { identities: 100, services: 100, routers: 10, passwords: 10, keyType: 'ec-p256' },
    sample: { identities: 10, services: 10, routers: 1, passwords: 1, keyType: 'ec-p256' },
  },
};

/** Measures all rows; each is told as soon as it is measured. */
export async function measureMigrations(
  { smoke, turns }: RowOptions,
  tell: (row: RatioMeasurement) => void,
): Promise<void> {
  const { large, sample } = sizes[smoke ? 'smoke' : 'full'];
  await takenOver('migrate', large, async (takeover) => {
    for (const row of await largeRows(takeover, turns)) tell(row);
  });
  await takenOver('migrate-sample', sample, async (takeover) => {
    tell(await cutOverRow(takeover, turns));
  });
}

/** Runs `play` on a network of the peer, which is removed afterwards. */
async function takenOver(
  name: string,
  size: PeerSize,
  play: (takeover: Takeover) => Promise<void>,
): Promise<void> {
  const bench = makeHome(name);
  const generator = new LoadGenerator();
  try {
    const network = await makePeerNetwork(join(bench.home, 'peer'), size);
    await play(new Takeover({ bench, generator, network, size }));
  } finally {
    generator.stop();
    bench.remove();
  }
}

/** The figures of one turn; a time is in ms. */
interface Turn {
  readonly migrated: Timing;
  readonly checked: Timing;
  readonly startMs: number;
  readonly usualStartMs: number;
  readonly servingBytes: number;
  readonly first: Figure;
  readonly second: Figure;
}

async function largeRows(takeover: Takeover, turns: number): Promise<RatioMeasurement[]> {
  // Files that were never read before are slow. What the controller makes of this home at its stop
  // is the one of the comparison.
  const { home: usual } = await takeover.migrate();
  const controller = await takeover.start(usual);
  await takeover.logInTwice(controller);
  await controller.stop();
  const all: Turn[] = [];
  for (let turn = 0; turn < turns; turn++) all.push(await turnOf(takeover, usual, turn % 2 === 0));
  const { identities, services, routers } = takeover.size;
  const network = `${grouped(identities)} identities, ${grouped(services)} services, ${grouped(routers)} routers`;
  const row = (
    goal: RatioGoal,
    figures: (turn: Turn) => Omit<RatioTurn, 'wrong'> & Partial<RatioTurn>,
  ) =>
    ratioRow(
      goal,
      all.map((turn) => ({ wrong: 0, ...figures(turn) })),
    );
  return [
    row(
      { work: `migrate: ${network}`, against: 'check of the result', figure: 'time ms', goal: 4 },
      ({ migrated, checked }) => ({ value: migrated.value, base: checked.value }),
    ),
    row(
      { work: 'migrate', against: 'the controller of the result', figure: 'memory MB', goal: 1.5 },
      ({ migrated, servingBytes }) => ({
        value: migrated.peakBytes / 1e6,
        base: servingBytes / 1e6,
      }),
    ),
    row(
      {
        work: 'first start of the result',
        against: 'a start with the same records, written by the controller',
        figure: 'time ms',
        goal: 1.1,
      },
      ({ startMs, usualStartMs }) => ({ value: startMs, base: usualStartMs }),
    ),
    row(
      {
        work: 'first login with a password that was taken over',
        against: 'the second one',
        figure: 'CPU µs',
        goal: 1.5,
      },
      ({ first, second }) => ({
        value: first.value,
        base: second.value,
        wrong: first.wrong + second.wrong,
      }),
    ),
  ];
}

/** @param isUsualFirst the order of the starts alternates, as in `takeTurns` */
async function turnOf(takeover: Takeover, usual: string, isUsualFirst: boolean): Promise<Turn> {
  const { home, timing: migrated } = await takeover.migrate();
  const checked = await takeover.runs('check', '--home', home);
  const before = isUsualFirst ? await takeover.startMs(usual) : undefined;
  const controller = await takeover.start(home);
  const { startMs, pid } = controller;
  const servingBytes = sampleMemory(pid).peakBytes;
  const logins = await takeover.logInTwice(controller);
  await controller.stop();
  rmSync(home, { recursive: true });
  const usualStartMs = before ?? (await takeover.startMs(usual));
  return { migrated, checked, startMs, usualStartMs, servingBytes, ...logins };
}

async function cutOverRow(takeover: Takeover, turns: number): Promise<RatioMeasurement> {
  let home = '';
  const answered = async (): Promise<Figure> => {
    const beganAt = performance.now();
    const controller = await takeover.start(home);
    const { wrong } = await takeover.logInByCertificate(controller);
    const value = performance.now() - beganAt;
    await controller.stop();
    return { value, wrong };
  };
  const cutOver = async (): Promise<Figure> => {
    if (home !== '') rmSync(home, { recursive: true });
    const made = await takeover.migrate();
    home = made.home;
    const { value, wrong } = await answered();
    return { value: made.timing.value + value, wrong };
  };
  await cutOver();
  const all = await takeTurns(turns, cutOver, answered);
  const size = `${takeover.size.identities} identities`;
  return ratioRow(
    {
      work: `migrate, start and first login by certificate, ${size}`,
      against: 'a later start and login',
      figure: 'time ms',
    },
    all,
  );
}
