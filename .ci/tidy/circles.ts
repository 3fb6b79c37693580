// Circles of files: groups in which each file imports, over others, every other one. Types count,
// as a reader follows them like values.

import { type Import, targetOf } from './import.ts';

/** A group of files that import each other, directly or over others; at least two. */
export type Circle = readonly string[];

/**
 * The circles of the shipped code, the largest first: the strongly connected components of its
 * import graph (Tarjan, "Depth-first search and linear graph algorithms", 1972).
 */
export function circlesOf(imports: readonly Import[]): Circle[] {
  const targets = targetsOf(imports);
  const indexes = new Map<string, number>();
  const stack: string[] = [];
  const open = new Set<string>();
  const circles: Circle[] = [];
  const visit = (path: string): number => {
    const index = indexes.size;
    let low = index;
    indexes.set(path, index);
    stack.push(path);
    open.add(path);
    for (const target of targets.get(path) ?? []) {
      if (!indexes.has(target)) low = Math.min(low, visit(target));
      else if (open.has(target)) low = Math.min(low, indexes.get(target) ?? low);
    }
    if (low === index) {
      const members = stack.splice(stack.lastIndexOf(path));
      for (const member of members) open.delete(member);
      if (members.length > 1) circles.push(members.sort());
    }
    return low;
  };
  for (const path of targets.keys()) if (!indexes.has(path)) visit(path);
  return circles.sort((a, b) => b.length - a.length);
}

/** Path → the paths of shipped files that it imports. */
function targetsOf(imports: readonly Import[]): Map<string, Set<string>> {
  const targets = new Map<string, Set<string>>();
  for (const entry of imports) {
    const [from, to] = [entry.from.path, targetOf(entry)];
    if (!isShipped(from) || !isShipped(to)) continue;
    const list = targets.get(from) ?? new Set();
    list.add(to);
    targets.set(from, list);
  }
  return targets;
}

function isShipped(path: string): boolean {
  return /^(src|machines|snapshots)\/.*\.tsx?$/.test(path);
}
