// Which settings must be equal on all nodes of a cluster, and how nodes compare them.

import { createHash } from 'node:crypto';
import type { Config } from './config.ts';
import { settings } from './settings.ts';

/**
 * The settings by which a node would decide differently than another one, as `name=hash` with
 * commas between, sorted. Those that have their default are left out, so the text is mostly short.
 */
export function behaviourSettings(config: Config): string {
  const changed: string[] = [];
  for (const group of deciding) {
    const values: Readonly<Record<string, unknown>> = config[group];
    for (const [key, setting] of Object.entries(settings[group])) {
      const name = `${group}.${key}`;
      if (values[key] === setting.default || ofTheMachine.test(name)) continue;
      changed.push(`${name}=${shortHash(name, values[key])}`);
    }
  }
  const reads = config.cluster?.reads;
  if (reads !== undefined && reads !== settings.cluster.reads.default) {
    changed.push(`cluster.reads=${shortHash('cluster.reads', reads)}`);
  }
  return changed.sort().join(',');
}

/** Names of the settings in which two such texts differ, sorted. */
export function differingSettings(one: string, other: string): readonly string[] {
  const [first, second] = [one.split(','), other.split(',')];
  const apart = [
    ...first.filter((entry) => !second.includes(entry)),
    ...second.filter((entry) => !first.includes(entry)),
  ];
  const names = apart.map((entry) => entry.split('=')[0] ?? '');
  return [...new Set(names)].filter((name) => name !== '').sort();
}

/** Groups of settings that decide; the others are places, or concern the machine alone. */
const deciding = ['session', 'auth', 'totp', 'enrollment', 'argon2', 'usage', 'limits'] as const;

/** Bounds that follow from the memory, the descriptors and the disk of a machine. */
const ofTheMachine =
  /^limits\.(connections|control|descriptors|handshake|heap|segment|snapshot|\w+Cache)/;

/** Enough to tell two values apart; none of these settings is secret. */
function shortHash(name: string, value: unknown): string {
  return createHash('sha256')
    .update(`${name}=${JSON.stringify(value)}`)
    .digest('hex')
    .slice(0, 8);
}
