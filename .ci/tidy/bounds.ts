// The bounds that constants of the code are: found by `@bound` in their doc comments, for
// docs/generated/bounds.md, and never left out of it.

import { boundScopes } from '../../src/settings/limits.ts';
import type { Finding, ProjectFile } from './project.ts';

/** A constant with `@bound` in its doc comment. */
export interface CodeBound {
  readonly name: string;
  /** As it stands in the code: `32 * 1024`. */
  readonly value: string;
  /** The unit it counts for; undefined for a bound that only paces the controller's own work. */
  readonly per: string | undefined;
  readonly why: string;
}

const comment = String.raw`/\*\*((?:(?!\*/)[^])*?)@bound(?: per (\w+))?\s*\*/`;
const constant = String.raw`\s*(?:export )?(?:const |readonly )?(\w+)(?:: | = )([-\d_. */]+)[,;]`;
const tagged = new RegExp(comment + constant, 'g');

/** The bounds of one file, in its order. */
export function boundsIn(text: string): CodeBound[] {
  return [...text.matchAll(tagged)].map(([, doc = '', per, name = '', value = '']) => ({
    name,
    value: value.trim(),
    per,
    why: doc.replaceAll(/\s*\n\s*\*\s*/g, ' ').trim(),
  }));
}

/** A constant that says by its name that it is a bound, and by nothing else. */
const untagged = /^(?:export )?const (\w+(?:Max|Min)) = [\d_. */]+;/gm;
const namedAsBound = /(Max|Min|Ms|Minutes|Bytes|Rows|Count)$/;

/** Bounds that docs/generated/bounds.md would leave out, or not say enough of. */
export function boundFindings(files: readonly ProjectFile[]): Finding[] {
  const seen = new Set<string>();
  return files.filter(isShipped).flatMap(({ path, tree: { text } }) => {
    const found = boundsIn(text);
    const faults = found.flatMap(({ name, per, why }) => {
      if (per !== undefined && !boundScopes.some((scope) => scope === per)) {
        return [`${name}: a bound is per ${boundScopes.join(', ')}`];
      }
      if (!namedAsBound.test(name)) return [`${name}: the unit or the kind of bound stands last`];
      if (!why.endsWith('.')) return [`${name}: its doc comment says what it bounds and why`];
      if (seen.has(name)) return [`${name}: another bound has this name`];
      seen.add(name);
      return [];
    });
    if (text.split(' @bound').length - 1 > found.length) {
      faults.push('@bound stands last in the doc comment of a constant that is a plain number');
    }
    for (const [, name = ''] of text.matchAll(untagged)) {
      if (!found.some((bound) => bound.name === name)) faults.push(`${name}: lacks @bound`);
    }
    return faults.map((fault) => ({ file: path, line: 1, text: fault }));
  });
}

function isShipped({ path }: ProjectFile): boolean {
  return /^(src|snapshots|machines)\//.test(path) && !path.startsWith('src/inspect/page/');
}
