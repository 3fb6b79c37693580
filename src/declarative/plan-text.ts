// A plan as text that a person reads: what is created, changed and deleted, and how.

import { printable } from '../printable.ts';
import { type Fault, faultText, shortJson } from './network-file.ts';
import type { Plan } from './plan.ts';

/** The plan, a line per entity and change, and the count of each at its end. */
export function planText(plan: Plan): string {
  const lines: string[] = [];
  for (const { section, entry } of plan.creations) {
    lines.push(`+ ${section.name}/${entry.name}`);
    for (const [field, value] of Object.entries(entry.fields)) {
      lines.push(`    ${field}: ${shortJson(value)}`);
    }
  }
  for (const { section, entry, changes } of plan.updates) {
    lines.push(`~ ${section.name}/${entry.name}`);
    for (const { path, from, to } of changes) {
      lines.push(`    ${path}: ${shortJson(from ?? null)} -> ${shortJson(to)}`);
    }
  }
  for (const { section, present } of plan.deletions) {
    lines.push(`- ${section.name}/${present.name}`);
  }
  lines.push(summaryOf(plan));
  return lines.map((line) => `${printable(line)}\n`).join('');
}

function summaryOf({ creations, updates, deletions, unchanged }: Plan): string {
  return `${creations.length} to create, ${updates.length} to update, ${deletions.length} to delete, ${unchanged} as they should be`;
}

/** All faults of a file or a plan, a line each. */
export function faultsText(file: string, faults: readonly Fault[]): string {
  return faults.map((fault) => `${printable(`${file}: ${faultText(fault)}`)}\n`).join('');
}
