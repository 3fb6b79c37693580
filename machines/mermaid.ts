// Draws a machine as a Mermaid state diagram, for the generated documentation.

import type { DurableMachine } from './machine.ts';
import { type Branch, noneState, type Region, readShape } from './shape.ts';

/**
 * The diagram's text, ending in a line feed. A refused event is drawn too, with its error code.
 * @throws MachineNotCompilable for a machine that does not compile.
 */
export function toMermaid(durable: DurableMachine): string {
  const { regions } = readShape(durable);
  const [only] = regions;
  const body =
    only !== undefined && only.name === ''
      ? drawRegion(only, '')
      : [
          `state ${durable.kind} {`,
          ...regions.flatMap((region, index) => [
            ...(index > 0 ? ['  --'] : []),
            ...drawRegion(region, `${region.name}_`).map((line) => `  ${line}`),
          ]),
          '}',
        ];
  return ['stateDiagram-v2', ...body.map((line) => `  ${line}`), ''].join('\n');
}

/** Names are unique over a whole Mermaid diagram, so those of parallel regions carry a prefix. */
function drawRegion(region: Region, prefix: string): string[] {
  const lines = [`[*] --> ${prefix}${noneState}`];
  for (const state of region.states.values()) {
    const from = `${prefix}${state.name}`;
    if (prefix !== '') lines.push(`${from}: ${region.name} ${state.name}`);
    for (const [event, branches] of state.branches) {
      for (const branch of branches) {
        lines.push(`${from} --> ${prefix}${branch.target ?? state.name}: ${label(event, branch)}`);
      }
    }
    if (state.final) lines.push(`${from} --> [*]`);
  }
  return lines;
}

function label(event: string, { guard, refusal, steps }: Branch): string {
  const condition = guard === undefined ? '' : ` [${guard.label}]`;
  if (refusal !== undefined) return plain(`${event}${condition} / refused ${refusal}`);
  const names = steps.map((step) => step.name).filter((name) => name !== '');
  return plain(`${event}${condition}${names.length > 0 ? ` / ${names.join(', ')}` : ''}`);
}

/** Colons, semicolons and line feeds mean something to Mermaid. */
function plain(text: string): string {
  return text.replace(/[:;\n]/g, ' ');
}
