// Draws a machine as a Mermaid state diagram, for the generated documentation.

import type { DurableMachine } from '../../machines/machine.ts';
import { type Arrow, type ChartRegion, statechartOf } from '../../machines/statechart.ts';

/**
 * The diagram's text, ending in a line feed. A refused event is drawn too, with its error code.
 * @throws MachineNotCompilable for what a statechart leaves out.
 */
export function toMermaid(durable: DurableMachine): string {
  const { regions } = statechartOf(durable.machine);
  const [only] = regions;
  const body =
    only !== undefined && only.name === ''
      ? drawRegion(only, '')
      : [
          `state ${durable.machine.id} {`,
          ...regions.flatMap((region, index) => [
            ...(index > 0 ? ['  --'] : []),
            ...drawRegion(region, `${region.name}_`).map((line) => `  ${line}`),
          ]),
          '}',
        ];
  return ['stateDiagram-v2', ...body.map((line) => `  ${line}`), ''].join('\n');
}

/** Names are unique over a whole Mermaid diagram, so those of parallel regions carry a prefix. */
function drawRegion(region: ChartRegion, prefix: string): string[] {
  const lines = [`[*] --> ${prefix}${region.initial}`];
  for (const { name, isFinal } of region.states) {
    const from = `${prefix}${name}`;
    if (prefix !== '') lines.push(`${from}: ${region.name} ${name}`);
    for (const arrow of region.arrows) {
      if (arrow.from === name) lines.push(`${from} --> ${prefix}${arrow.to}: ${label(arrow)}`);
    }
    if (isFinal) lines.push(`${from} --> [*]`);
  }
  return lines;
}

function label({ event, guard, refusal, actions }: Arrow): string {
  const condition = guard === undefined ? '' : ` [${guard}]`;
  if (refusal !== undefined) return plain(`${event}${condition} / refused ${refusal}`);
  return plain(`${event}${condition}${actions.length > 0 ? ` / ${actions.join(', ')}` : ''}`);
}

/** Colons, semicolons and line feeds mean something to Mermaid. */
function plain(text: string): string {
  return text.replace(/[:;\n]/g, ' ');
}
