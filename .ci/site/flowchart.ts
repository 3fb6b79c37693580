// A Mermaid flowchart as a drawing. It reads what our documents use: nodes with quoted labels,
// arrows with and without labels, and one level of subgraphs.

import { type EdgeLabel, Graph, type GraphLabel, layout, type NodeLabel } from '@dagrejs/dagre';
import { smoothPath } from '../../src/inspect/page/components/smooth-path.ts';
import { drawing } from './drawing.ts';
import { escaped } from './html.ts';

interface Flow {
  readonly labels: Map<string, readonly string[]>;
  readonly arrows: { readonly from: string; readonly to: string; readonly label: string[] }[];
  /** The subgraph of a node. */
  readonly groups: Map<string, string>;
}

/** SVG within HTML. @throws SyntaxError for a line that is not understood */
export function flowchart(code: string): string {
  const { labels, arrows, groups } = read(code);
  const names = [...labels.keys()];
  // An arrow to what the text names before leads upwards.
  const isBack = ({ from, to }: { readonly from: string; readonly to: string }) =>
    names.indexOf(to) < names.indexOf(from);
  const graph = new Graph<GraphLabel, NodeLabel, EdgeLabel>({ compound: true, multigraph: true });
  graph.setGraph({ rankdir: 'TB', nodesep: 20, ranksep: 34, marginx: 8, marginy: 8 });
  for (const [name, lines] of labels) graph.setNode(name, sizeOf(lines, 28));
  for (const [inner, outer] of groups) graph.setParent(inner, outer);
  arrows.forEach(({ from, to, label }, index) => {
    const size = label.length === 0 ? { width: 0, height: 0 } : sizeOf(label, 8);
    const [upper, lower] = isBack({ from, to }) ? [to, from] : [from, to];
    graph.setEdge(upper, lower, { ...size, labelpos: 'c' }, String(index));
  });
  layout(graph);
  const { width = 0, height = 0 } = graph.graph();
  const outer = new Set(groups.values());
  const nodes = [...labels].map(([name, lines]) => {
    const { x = 0, y = 0, width = 0, height = 0 } = graph.node(name);
    const isGroup = outer.has(name);
    const box = rect(x, y, width, height, isGroup ? 'group' : 'state');
    if (!isGroup) return `${box}${text(lines, x, y, 'name')}`;
    const left = x - (width - sizeOf(lines, 8).width) / 2;
    return `${box}${text(lines, left, y - height / 2 - 12, 'name')}`;
  });
  const ways = arrows.map(({ from, to, label }, index) => {
    const isUp = isBack({ from, to });
    const [upper, lower] = isUp ? [to, from] : [from, to];
    const { points = [], x = 0, y = 0 } = graph.edge(upper, lower, String(index));
    if (isUp) points.reverse();
    const line = `<path class="way" d="${smoothPath(points, 'y')}" marker-end="url(#flow-head)"/>`;
    if (label.length === 0) return line;
    const size = sizeOf(label, 8);
    const ground = rect(x, y, size.width, size.height, 'ground');
    return `${line}${ground}${text(label, x, y, 'event')}`;
  });
  // Subgraphs first, as they lie behind everything.
  const order = [...nodes.keys()].sort((a, b) => {
    return Number(outer.has(names[b] ?? '')) - Number(outer.has(names[a] ?? ''));
  });
  const parts = [...order.map((index) => nodes[index] ?? ''), ...ways];
  return drawing({ name: 'Flowchart', head: 'flow-head', parts, width, height });
}

const nodePattern = /^(\w+)(?:\["([^"]+)"\])?/;
const arrowPattern = /^\s*(?:-->|-- "([^"]+)" -->)\s*/;

function read(code: string): Flow {
  const flow: Flow = { labels: new Map(), arrows: [], groups: new Map() };
  let group: string | undefined;
  for (const line of code.trim().split('\n').slice(1)) {
    const [, opened] = /^\s*subgraph (.*)$/.exec(line) ?? [];
    if (opened !== undefined) group = readNode(opened, flow, undefined).name;
    else if (line.trim() === 'end') group = undefined;
    else readChain(line.trim(), flow, group);
  }
  return flow;
}

function readChain(line: string, flow: Flow, group: string | undefined): void {
  let { name: from, rest } = readNode(line, flow, group);
  while (rest !== '') {
    const [arrow, label] = arrowPattern.exec(rest) ?? [];
    if (arrow === undefined) throw new SyntaxError(`not understood in a flowchart: ${line}`);
    const next = readNode(rest.slice(arrow.length), flow, group);
    flow.arrows.push({ from, to: next.name, label: label === undefined ? [] : linesOf(label) });
    ({ name: from, rest } = next);
  }
}

function readNode(text: string, { labels, groups }: Flow, group: string | undefined) {
  const [whole, name = '', label] = nodePattern.exec(text) ?? [];
  if (whole === undefined) throw new SyntaxError(`not understood in a flowchart: ${text}`);
  if (label !== undefined || !labels.has(name)) {
    labels.set(name, label === undefined ? [name] : linesOf(label));
  }
  // A node belongs to the subgraph that first names it.
  if (group !== undefined && label !== undefined) groups.set(name, group);
  return { name, rest: text.slice(whole.length).trim() };
}

/** Wider boxes would make the drawing wider than a page. */
const columnsMax = 28;

/** Broken where the label says so, and between words where a line is long. */
function linesOf(label: string): string[] {
  return label.split('<br/>').flatMap((line) => {
    const lines = [''];
    for (const word of line.split(' ')) {
      const last = lines.at(-1) ?? '';
      if (last !== '' && last.length + word.length >= columnsMax) lines.push(word);
      else lines[lines.length - 1] = last === '' ? word : `${last} ${word}`;
    }
    return lines;
  });
}

const letterWidth = 7.3;
const lineHeight = 15;

function sizeOf(lines: readonly string[], padding: number): { width: number; height: number } {
  const width = Math.max(...lines.map((line) => line.length)) * letterWidth + padding;
  return { width, height: lines.length * lineHeight + padding / 2 };
}

function rect(x: number, y: number, width: number, height: number, name: string): string {
  const corner = `x="${x - width / 2}" y="${y - height / 2}"`;
  return `<rect class="${name}" ${corner} width="${width}" height="${height}" rx="6"/>`;
}

function text(lines: readonly string[], x: number, y: number, name: string): string {
  const top = y - ((lines.length - 1) * lineHeight) / 2 + 4;
  return lines
    .map((line, index) => {
      const at = `x="${x}" y="${top + index * lineHeight}"`;
      return `<text class="${name}" ${at}>${escaped(line)}</text>`;
    })
    .join('');
}
