// docs/generated/machines.md: every durable machine as a diagram.

import { readFileSync } from 'node:fs';
import { clusterNode } from '../../machines/cluster-node.ts';
import { machines } from '../../machines/index.ts';
import { toMermaid } from './mermaid.ts';
import { type GeneratedPage, generatedFrom } from './page.ts';

/** The page of state machines. */
export const machinesPage: GeneratedPage = { file: 'docs/generated/machines.md', make };

function make(): string {
  const sections = [...machines, clusterNode].map((machine) => {
    const kind = machine.machine.id;
    const file = `${kind.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}.ts`;
    const diagram = `\`\`\`mermaid\n${toMermaid(machine).trimEnd()}\n\`\`\``;
    return `## ${kind}\n\n${purposeOf(file)}\n\n${diagram}\n`;
  });
  return `${generatedFrom('machines/')}

# Machines

The life of every durable kind, as compiled at boot and run for each record, and that of the node of
a cluster. An arrow is an event with its condition and its effects; a refused event leads back to
its state and names the error code.

${sections.join('\n')}`;
}

/** The comment that a machine's file begins with. */
function purposeOf(file: string): string {
  const text = readFileSync(new URL(`../../machines/${file}`, import.meta.url), 'utf8');
  const [comment = ''] = /^(?:\/\/ .*\n)+/.exec(text) ?? [];
  return comment
    .replaceAll(/^\/\/ /gm, '')
    .replaceAll('\n', ' ')
    .trim();
}
