// Links between routers, as the routers that dialed them report (behaviour/control-channel).

import Type from 'typebox';
import { link } from '../../machines/link.ts';
import { field, optional, reference, time } from '../declare/kinds/field.ts';
import { defineKind, type RecordOf } from '../declare/kinds/kind.ts';

const text = () => field(Type.String(), { fallback: '', write: 'never' });
const count = (fallback: number) => field(Type.Integer(), { fallback, write: 'never' });

/** Latency of a link before its routers have measured it, in ns: 65 s. */
export const unmeasuredLatencyNs = 65_000_000_000;

/** One transport connection of a link. */
const connectionSchema = Type.Object({
  type: Type.String(),
  localAddress: Type.String(),
  remoteAddress: Type.String(),
});

/** The live side of links. They end with their routers' channels, so they are never stored. */
export const linkKind = defineKind({
  kind: 'link',
  version: 1,
  volatile: true,
  recordsMax: 'linksMax',
  fields: {
    state: field(Type.String(), { fallback: 'pending', write: 'never', show: 'never' }),
    /** The router that dialed. */
    sourceRouter: reference('router', { inverse: 'links', onDelete: 'cascade', write: 'never' }),
    destRouter: reference('router', {
      inverse: 'incomingLinks',
      onDelete: 'cascade',
      write: 'never',
    }),
    protocol: text(),
    dialAddress: text(),
    iteration: count(0),
    staticCost: count(1),
    /** An administrator has taken it out of all paths. */
    down: field(Type.Boolean(), { fallback: false, write: 'never' }),
    /** As its two ends measure it, in ns. */
    sourceLatency: count(unmeasuredLatencyNs),
    destLatency: count(unmeasuredLatencyNs),
    connections: optional(Type.Array(connectionSchema), { write: 'never' }),
    failedAt: time({ write: 'never' }),
    /**
     * The id by which its routers know it, where that is not its own: another router had reported a
     * link with this id before.
     */
    sharedId: optional(Type.String(), { write: 'never', grouped: true }),
    isNamed: field(Type.Boolean(), { fallback: false, write: 'never' }),
    refusal: optional(Type.String(), { write: 'never', grouped: true }),
  },
  many: [],
  calledBy: ['sourceRouter', 'destRouter'],
  machine: { declaration: link, creates: 'report', removes: 'remove' },
});

/** A link. */
export type LinkRecord = RecordOf<typeof linkKind.fields>;

/**
 * What a path pays for the link: its static cost and the whole ms of both latencies. While one end
 * has not measured it, neither of them counts, because one end alone could say anything.
 */
export function linkCost({ staticCost, sourceLatency, destLatency }: LinkRecord): number {
  const isMeasured = sourceLatency < unmeasuredLatencyNs && destLatency < unmeasuredLatencyNs;
  if (!isMeasured) return staticCost + 2 * wholeMs(unmeasuredLatencyNs);
  return staticCost + wholeMs(sourceLatency) + wholeMs(destLatency);
}

/**
 * The key of a link that a router reports while another one's link has the same id. Ids have no
 * blanks, so no link has this id.
 */
export function keyOfSharedId(linkId: string, sourceRouter: string): string {
  return `${linkId} ${sourceRouter}`;
}

/** The id by which routers know the link with this key. */
export function linkIdOf(key: string): string {
  const blank = key.indexOf(' ');
  return blank < 0 ? key : key.slice(0, blank);
}

function wholeMs(ns: number): number {
  return Math.floor(ns / 1_000_000);
}
