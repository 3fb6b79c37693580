// A plan as text that a person reads: what is created, changed and deleted, and how.

import { printable } from '../../platform/printable.ts';
import { type Fault, faultText, shortJson } from './file-entries.ts';
import type { Plan } from './plan.ts';
import { sectionNames } from './sections.ts';

/** The plan, a line per entity and change, and at its end the counts by kind and in all. */
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
  lines.push(...countsByKind(plan), summaryOf(plan));
  return lines.map((line) => `${printable(line)}\n`).join('');
}

/** A line per kind that changes, in the order of the sections. */
function* countsByKind({ creations, updates, deletions }: Plan): Generator<string> {
  const verbs = { create: creations, update: updates, delete: deletions };
  for (const name of sectionNames) {
    const counts = Object.entries(verbs).flatMap(([verb, steps]) => {
      const count = steps.filter(({ section }) => section.name === name).length;
      return count === 0 ? [] : [`${count} to ${verb}`];
    });
    if (counts.length > 0) yield `${name}: ${counts.join(', ')}`;
  }
}

function summaryOf({ creations, updates, deletions, unchanged }: Plan): string {
  return `${creations.length} to create, ${updates.length} to update, ${deletions.length} to delete, ${unchanged} as they should be`;
}

/** All faults of a file or a plan, a line each. */
export function faultsText(file: string, faults: readonly Fault[]): string {
  return faults.map((fault) => `${printable(`${file}: ${faultText(fault)}`)}\n`).join('');
}
