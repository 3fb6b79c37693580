// How fast the map of 1,000 routers and 5,000 links is there, and how long it holds the page up
// while ten things change per second: `node test/browser/run.ts figures`.

import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import type { Flow } from '../flow.ts';
import { type FleetLink, MapFleet } from '../map-fleet.ts';
import { takePicture } from '../pictures.ts';
import { administrator } from './log-in.ts';

/** With the two routers of the stage, and ten links more than five each: 1,000 and 5,000. */
const size = { routers: 998, stage: 2, links: 5000, regions: 20 } as const;
const changesASecond = 10;
const watchedMs = 20_000;
const pictures = 5;

const nameOf = (n: number) => `figure-${String(n % size.routers).padStart(4, '0')}`;

/** Each router dials the next one, some of its region, and one far away. */
function linksOf(): readonly FleetLink[] {
  const steps = [1, 20, 60, 140, 331, 7];
  return Array.from({ length: size.links }, (_, n) => {
    const step = steps[Math.floor(n / size.routers)] ?? 0;
    const [from, to] = [nameOf(n), nameOf(n + step)];
    return { id: `${from}.${to}`, from, to };
  });
}

/** Measures, and says what it has found; it asserts no times. */
export const mapFigures: Flow = {
  title: 'figures: 1,000 routers, 5,000 links, 10 changes per second',
  isOnRequest: true,
  timeoutMs: 10 * 60_000,
  async walk({ stage, come }) {
    const names = Array.from({ length: size.routers }, (_, n) => nameOf(n));
    const links = linksOf();
    const roleAttributesOf = (name: string) => [`region-${Number(name.slice(-4)) % size.regions}`];
    const fleet = await MapFleet.connect(stage, { names, links, roleAttributesOf });
    try {
      fleet.measure(links, (_, n) => 1 + (n % 80));
      await sleep(2000);
      const inspector = await come();
      const { page } = inspector;
      await page.addInitScript(watchPictures);
      await inspector.enter(administrator, '#/figures');
      const drawn = `canvas[data-drawn="${size.routers + size.stage} ${links.length}"]`;
      const first: number[] = [];
      for (let n = 0; n < pictures; n += 1) {
        await inspector.goTo('Figures');
        // The page keeps what it knows of the map, so it has to forget that.
        await page.reload();
        await inspector.isLive();
        first.push(await opened(page, drawn));
      }
      const cold: number[] = [];
      for (let n = 0; n < pictures; n += 1) {
        await page.reload();
        await page.locator(drawn).waitFor();
        cold.push(Number(await page.evaluate(`window.__drawnAt`)));
      }
      const browser = page.context().browser();
      await browser?.startTracing(page, { categories: ['toplevel', '__metadata'] });
      const changes = await change(fleet, links);
      const tasks = tasksOf((await browser?.stopTracing()) ?? Buffer.from('[]'));
      await takePicture(page, 'map-figures');
      console.log(`  first picture after a click: ${toldOf(first)}`);
      console.log(`  first picture of a page that is loaded anew: ${toldOf(cold)}`);
      const seconds = watchedMs / 1000;
      console.log(`  ${changes} changes in ${seconds} s, ${tasks.length} tasks of the page`);
      console.log(`  longest tasks: ${longest(tasks.map(({ ms }) => ms))} ms`);
      console.log(`  most CPU of a task: ${longest(tasks.map(({ cpuMs }) => cpuMs))} ms`);
    } finally {
      await fleet.stop();
    }
  },
};

/** Goes to the map from another view. @returns ms until the picture is there */
async function opened(page: Page, drawn: string): Promise<number> {
  const begun = Number(await page.evaluate('location.hash = "#/map"; performance.now()'));
  await page.locator(drawn).waitFor();
  return Number(await page.evaluate('window.__drawnAt')) - begun;
}

/** A link breaks or is dialed again, or a latency changes. @returns how many changes there were */
async function change(fleet: MapFleet, links: readonly FleetLink[]): Promise<number> {
  const broken: FleetLink[] = [];
  const until = performance.now() + watchedMs;
  let changes = 0;
  while (performance.now() < until) {
    const link = links[(changes * 733) % links.length] as FleetLink;
    const [oldest] = broken;
    if (changes % 3 === 0) fleet.measure([link], () => 1 + (changes % 200));
    else if (oldest !== undefined && broken.length > 10) fleet.repair(broken.shift() ?? oldest);
    else {
      broken.push(link);
      fleet.break(link);
    }
    changes += 1;
    await sleep(1000 / changesASecond);
  }
  return changes;
}

/** One task of the thread that runs the page: how long it took, and its CPU. */
interface PageTask {
  readonly ms: number;
  readonly cpuMs: number;
}

/** An event of the browser's tracing; durations are in µs. */
interface TraceEvent {
  readonly name: string;
  readonly ph: string;
  readonly pid: number;
  readonly tid: number;
  readonly dur?: number;
  readonly tdur?: number;
  readonly args?: { readonly name?: string };
}

function tasksOf(trace: Buffer): readonly PageTask[] {
  const { traceEvents } = JSON.parse(trace.toString()) as {
    readonly traceEvents: readonly TraceEvent[];
  };
  const keyOf = ({ pid, tid }: TraceEvent) => `${pid} ${tid}`;
  const pages = new Set(
    traceEvents
      .filter(
        ({ name, args }) => /^thread_name$/.test(name) && /^CrRendererMain$/.test(args?.name ?? ''),
      )
      .map(keyOf),
  );
  return traceEvents
    .filter((event) => /RunTask$/.test(event.name) && event.ph === 'X' && pages.has(keyOf(event)))
    .map(({ dur = 0, tdur = 0 }) => ({ ms: dur / 1000, cpuMs: tdur / 1000 }));
}

function longest(values: readonly number[]): string {
  const sorted = [...values].sort((a, b) => b - a).slice(0, 8);
  return sorted.map((ms) => ms.toFixed(1)).join(', ');
}

function toldOf(ms: readonly number[]): string {
  const sorted = [...ms].sort((a, b) => a - b).map(Math.round);
  return `median ${sorted[sorted.length >> 1]} ms, of ${sorted.join(', ')}`;
}

// What runs in the browser is text: there is no DOM among the types of the controller.
const watchPictures = `
  new MutationObserver(() => {
    const canvas = document.querySelector('canvas[data-drawn]');
    if (canvas === null) window.__drawn = undefined;
    else if (window.__drawn !== canvas.dataset.drawn) {
      window.__drawn = canvas.dataset.drawn;
      window.__drawnAt = performance.now();
    }
  }).observe(document, { attributes: true, childList: true, subtree: true });
`;
