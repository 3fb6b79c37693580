// The rows that are ratios of two kinds of work, and their goals.

import type { RatioMeasurement } from '../ratio.ts';
import { atMost, type GoalLine, grouped, times } from './goal-line.ts';
import { columns, type TextTable } from './table.ts';

const inTurns = [
  'Each row compares two kinds of work of one run, in turns. The figures are medians of the turns, and',
  'the ratio is the median of the ratios of single turns.',
].join('\n');

/** How the rows about the fabric are measured. */
export const fabricText = [
  inTurns,
  'Circuits are those of 100 simulated routers, of which four host; all others are linked with one of',
  'these. The two networks of different sizes have a controller each, and both run at the same time.',
  'Readers of events subscribe to those of sessions. Usage is that of circuits over two routers each.',
].join('\n');

/** How the rows about OIDC are measured. */
export const oidcText = [
  inTurns,
  'A login by OIDC is its four requests over one kept-alive connection: authorize, the login itself,',
  'the callback, and the exchange of the code for an access, a refresh and an id token. 64 connections',
  'are used at a time. Memory is the heap and the buffers of the main thread after a garbage',
  'collection, per session; an equal part of all sessions of both sorts is made in each turn. Clients',
  'that refresh share 64 connections, as the storm measures what handshakes cost others; each turn has',
  'its part of the minute, and the other requests are those of 8 connections in a closed loop. A',
  'circuit is that of a simulated router over itself. The revision before OIDC has a controller of its',
  'own, which runs at the same time.',
].join('\n');

/** How the rows about networks that are taken over are measured. */
export const migrateText = [
  inTurns,
  'The network of the peer is made once. Each identity has a certificate, and a role attribute that',
  'links it to one router and ten services. Each turn migrates the network into a new home, checks that',
  'home, starts it for the first time, and logs in with 80 passwords, twice with each. The times are',
  'those of whole processes, and of starts up to the first answer. The memory is the most that a process',
  'had resident: that of `migrate` is looked at every 20 ms, that of the controller after its start. The',
  'other start is that of a home which was migrated before, and which the controller has written itself',
  'at its stop, as it writes one that was made by the API. The last row is about a network of 310',
  'identities and 301 services with RSA keys of 4,096 bits. Its time lasts from the start of `migrate` to',
  'the first answered login; what the peer needs to stop is not in it.',
].join('\n');

/** How the rows about commands are measured. */
export const commandsText = [
  inTurns,
  'Each command is a process of its own, and its time is that from its start to its end. It runs beside',
  'the home of the controller, with a session that it has kept. Its memory is looked at every 20 ms.',
].join('\n');

/** Rows. */
export function ratioTable(ratios: readonly RatioMeasurement[]): TextTable {
  return {
    columns: columns(
      'work',
      'against',
      'figure',
      '#turns',
      '#work',
      '#against',
      '#ratio',
      '#least',
      '#greatest',
      '#wrong',
    ),
    rows: ratios.map((found) => [
      found.work,
      found.against,
      found.figure,
      String(found.turns),
      found.value.toFixed(1),
      found.base.toFixed(1),
      found.ratio.toFixed(2),
      found.ratioMin.toFixed(2),
      found.ratioMax.toFixed(2),
      grouped(found.wrong),
    ]),
  };
}

/** The goals of the rows that were measured. */
export function ratioGoals(ratios: readonly RatioMeasurement[]): GoalLine[] {
  return ratios.flatMap(({ work, against, figure, ratio, goal, reason }) => {
    if (goal === undefined) return [];
    const [what = ''] = figure.split(' ', 1);
    const line = atMost(`${work} against ${against}: ${what}`, '–', ratio, goal, times);
    return reason === undefined ? line : { ...line, reason };
  });
}
