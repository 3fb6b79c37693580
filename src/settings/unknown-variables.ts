// Variables of the environment that look like settings and are none: mostly misspelt ones.

import { nearestName } from '../platform/nearest-name.ts';
import { isSetting } from './setting-type.ts';
import { locations, settings } from './settings.ts';

/** Names that are listed at most: a platform may set any number of them. @bound */
const shownNamesMax = 10;

/**
 * One sentence that names all variables `EDGE_…` which nothing of this program reads; undefined if
 * there is none. Platforms set variables by the names of services (`EDGE_CONTROL_PORT`), and tests,
 * benchmarks and the example of docs/client.md have their own, so those are not named, and nothing
 * is ever refused. Values may be secrets and are not shown.
 */
export function unknownVariables(
  environment: Readonly<Record<string, string | undefined>>,
): string | undefined {
  const known = [...variablesOf(settings), ...variablesOf(locations)];
  const unknown = Object.keys(environment)
    .filter((name) => name.startsWith('EDGE_') && !ofOthers.test(name) && !known.includes(name))
    .sort();
  if (unknown.length === 0) return undefined;
  const shown = unknown.slice(0, shownNamesMax).map((name) => {
    const meant = nearestName(name, known);
    return meant === undefined ? name : `${name} (did you mean ${meant}?)`;
  });
  const more = unknown.length - shown.length;
  if (more > 0) shown.push(`${more} more`);
  return `Variables of the environment that no setting reads have no effect: ${shown.join(', ')}.`;
}

const ofOthers = /^EDGE_(CONTROL|BENCH_|TEST_|SEED$|STEPS$|URL$|TOKEN_FILE$)/;

function variablesOf(group: object): string[] {
  return Object.values(group).flatMap((entry: object) => {
    if (!isSetting(entry)) return variablesOf(entry);
    return entry.environment ?? [];
  });
}
