// The screen of `top`: how the controller is doing, in lines.

import { printable } from '../../../platform/printable.ts';
import { fitted, widthOf } from '../output/cell-width.ts';
import { ageText } from '../output/times.ts';

/** A router that is away. */
export interface AwayRouter {
  readonly name: string;
  /** Wall-clock ms. */
  readonly sinceMs: number;
}

/** What is known; a part that the caller may not read is undefined. */
export interface TopView {
  readonly host: string;
  /** Why the controller cannot be asked at present. */
  readonly lost: string | undefined;
  readonly figures: TopFigures | undefined;
  readonly counters: TopCounters | undefined;
  /** Routers that are away, the first of them. */
  readonly away: readonly AwayRouter[];
  /** The last changes, the newest first. */
  readonly changes: readonly string[];
}

/** What the inspector tells. */
export interface TopFigures {
  /** Wall-clock ms of the controller, whose clock may differ from that of the command. */
  readonly timeMs: number;
  /** Wall-clock ms since when the controller is in its state. */
  readonly sinceMs: number;
  readonly lastLsn: number;
  readonly heapBytes: number;
  readonly requestsASecond: number;
  readonly framesASecond: number;
  readonly longestPauseMs: number;
  readonly routersOnline: number;
  readonly routersOffline: number;
  readonly routersNotEnrolled: number;
  readonly apiSessions: number;
  readonly apiSessionsPartial: number;
  readonly circuits: number;
}

/** What the metrics tell. */
export interface TopCounters {
  readonly isHealthy: boolean;
  /** Per second; undefined until they were read twice. */
  readonly loginsASecond: number | undefined;
  readonly sessionsASecond: number | undefined;
}

/** Lines that repeat, so that one screen has all. */
const changesShown = 5;

/** The lines. @param width columns of the terminal; undefined for no bound */
export function topLines(view: TopView, width: number | undefined): string[] {
  const { host, lost, figures, counters, away, changes } = view;
  const health = counters && (counters.isHealthy ? 'healthy' : 'not healthy');
  const head = [host, ...(lost === undefined ? defined([health]) : ['lost'])];
  const blocks: string[][] = [
    lines([...head, ...(figures === undefined ? [] : stateOf(figures))], '  ', width),
  ];
  if (figures !== undefined || counters !== undefined) {
    blocks.push(lines(ratesOf(figures, counters), '  ', width));
  }
  if (figures !== undefined) blocks.push(lines(countsOf(figures), '    ', width));
  blocks.push(
    titled(
      'offline',
      away.map(
        ({ name, sinceMs }) =>
          `${printable(name)}  ${ageText((figures?.timeMs ?? sinceMs) - sinceMs)}`,
      ),
    ),
    titled('changes', changes.slice(0, changesShown).map(printable)),
  );
  if (lost !== undefined) blocks.push([`trying again: ${printable(lost)}`]);
  const all = blocks.flat();
  return width === undefined ? all : all.map((line) => fitted(line, width));
}

function stateOf({ timeMs, sinceMs, lastLsn, heapBytes }: TopFigures): string[] {
  const heap = `heap ${Math.round(heapBytes / 1_000_000)} MB`;
  return [`up ${ageText(timeMs - sinceMs)}`, `LSN ${numberText(lastLsn)}`, heap];
}

function ratesOf(figures: TopFigures | undefined, counters: TopCounters | undefined): string[] {
  const rate = (name: string, value: number | undefined) =>
    value === undefined ? undefined : `${name} ${numberText(value)}/s`;
  return defined([
    rate('requests', figures?.requestsASecond),
    rate('logins', counters?.loginsASecond),
    rate('sessions', counters?.sessionsASecond),
    rate('frames', figures?.framesASecond),
    figures && `longest pause ${numberText(figures.longestPauseMs)} ms`,
  ]);
}

function countsOf(figures: TopFigures): string[] {
  const { routersOnline, routersOffline, routersNotEnrolled, circuits } = figures;
  const partial = figures.apiSessionsPartial;
  return [
    `routers ${numberText(routersOnline)} online, ${numberText(routersOffline)} offline, ` +
      `${numberText(routersNotEnrolled)} not enrolled`,
    `API sessions ${numberText(figures.apiSessions)} (${numberText(partial)} partial)`,
    `circuits ${numberText(circuits)}`,
  ];
}

/** `418,204`. */
function numberText(value: number): string {
  return Math.round(value).toLocaleString('en');
}

function defined(texts: readonly (string | undefined)[]): string[] {
  return texts.filter((text) => text !== undefined);
}

/** Texts beside each other while they fit. */
function lines(texts: readonly string[], gap: string, width = Number.POSITIVE_INFINITY): string[] {
  const found: string[] = [];
  for (const text of texts) {
    const line = found.at(-1);
    const longer = line === undefined ? text : line + gap + text;
    if (line === undefined || widthOf(longer) > width) found.push(text);
    else found[found.length - 1] = longer;
  }
  return found;
}

/** Lines below each other, with a title before the first one. */
function titled(title: string, texts: readonly string[]): string[] {
  return texts.map((text, at) => `${at === 0 ? title : ' '.repeat(title.length)}  ${text}`);
}
