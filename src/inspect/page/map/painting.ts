// Paints a drawing of the map on a canvas: 5,000 lines as elements of the document would take the
// browser far longer at each change. Meanings have the signs of the rest of the page, and lines
// their strokes, so that nothing is told by its colour alone.

import type { StateMeaning } from '../../messages.ts';
import { formatCount } from '../format.ts';
import { type Extent, LabelRoom, lineEnds, type Pointed, type ScreenPlaces } from './camera.ts';
import { type Drawing, formatLatency, type MapLine, type MapNode } from './drawing.ts';

/** What lines are labelled with. */
export type LineLabel = 'latency' | 'cost' | 'circuits' | 'nothing';

/** The colours of the page as they are at present, and its face as a style sheet names it. */
export type Inks = Readonly<Record<InkName | 'face', string>>;

/** What is painted in a colour of its own. */
export type InkName = StateMeaning | 'ink' | 'soft' | 'rim' | 'accent' | 'surface';

/** Everything that decides on the picture. */
export interface Picture extends Extent {
  readonly drawing: Drawing;
  readonly screen: ScreenPlaces;
  readonly inks: Inks;
  readonly lineLabel: LineLabel;
  /** Lower case; nodes whose names contain it are found. Empty for none. */
  readonly sought: string;
  /** Whether the circuits of a service are drawn. */
  readonly hasChosen: boolean;
  readonly pointed: Pointed | undefined;
}

/** Whether a node is found by a text in lower case. */
export function isSought(node: MapNode | undefined, sought: string): boolean {
  return sought !== '' && node?.names.includes(sought) === true;
}

/** Paints all of it. */
export function paint(context: CanvasRenderingContext2D, picture: Picture): void {
  const { width, height, inks } = picture;
  context.clearRect(0, 0, width, height);
  context.lineCap = 'butt';
  const isBehind = picture.hasChosen || picture.sought !== '';
  paintLines(context, picture, isBehind ? behindAlpha : 1);
  context.globalAlpha = 1;
  if (picture.hasChosen) paintChosen(context, picture);
  paintPointedLine(context, picture);
  const room = new LabelRoom();
  paintLineSigns(context, picture, room);
  paintNodes(context, picture);
  context.font = `12px ${inks.face}`;
  context.textBaseline = 'middle';
  paintNames(context, picture, room);
  paintLineLabels(context, picture, room);
}

/** Of what is not sought, beside what is. */
const behindAlpha = 0.3;
/** Of lines that are good where there are many: those in trouble must be seen among them. */
const crowdAlpha = 0.4;
const crowdMin = 600;

/** Strokes by meaning: the dashes, and by how much they are wider. */
const strokes: Readonly<Record<StateMeaning, readonly [dashes: readonly number[], more: number]>> =
  {
    good: [[], 0],
    waiting: [[7, 4], 0.6],
    bad: [[2, 3], 1.6],
    over: [[1, 5], 0],
  };

/** Widths of lines by their load: none, up to 10 circuits, up to 100, up to 1,000, more. */
const loadWidths = [1, 1.6, 2.6, 3.8, 5] as const;

/** Lines of one stroke are painted at once. */
function paintLines(context: CanvasRenderingContext2D, picture: Picture, alpha: number): void {
  const { drawing, screen, inks } = picture;
  const goodAlpha = drawing.lines.length < crowdMin ? alpha : Math.min(alpha, crowdAlpha);
  const bundles = new Map<string, MapLine[]>();
  for (const line of drawing.lines) {
    const key = `${line.meaning} ${loadOf(line)}`;
    const bundle = bundles.get(key);
    if (bundle === undefined) bundles.set(key, [line]);
    else bundle.push(line);
  }
  for (const lines of bundles.values()) {
    const [first] = lines;
    if (first === undefined) continue;
    const [dashes, more] = strokes[first.meaning];
    context.setLineDash([...dashes]);
    context.lineWidth = (loadWidths[loadOf(first)] ?? 1) + more;
    context.strokeStyle = first.meaning === 'good' ? inks.rim : inks[first.meaning];
    context.globalAlpha = first.meaning === 'good' ? goodAlpha : alpha;
    strokeAll(context, lines, screen);
  }
  context.setLineDash([]);
}

/** The chosen circuits, with a ground that lifts them off the lines below. */
function paintChosen(context: CanvasRenderingContext2D, picture: Picture): void {
  const { drawing, screen, inks } = picture;
  const lines = drawing.lines.filter(({ chosen }) => chosen.length > 0);
  context.strokeStyle = inks.surface;
  context.lineWidth = 9;
  strokeAll(context, lines, screen);
  context.strokeStyle = inks.accent;
  context.lineWidth = 4;
  strokeAll(context, lines, screen);
}

function paintPointedLine(context: CanvasRenderingContext2D, picture: Picture): void {
  const { pointed, drawing, screen, inks } = picture;
  const line = pointed?.what === 'line' ? drawing.lines[pointed.at] : undefined;
  if (line === undefined) return;
  context.strokeStyle = inks.accent;
  context.lineWidth = (loadWidths[loadOf(line)] ?? 1) + 3;
  strokeAll(context, [line], screen);
}

function strokeAll(
  context: CanvasRenderingContext2D,
  lines: readonly MapLine[],
  screen: ScreenPlaces,
): void {
  context.beginPath();
  for (const line of lines) {
    const [fromX, fromY, toX, toY] = lineEnds(line, screen);
    if (Number.isNaN(fromX + toX)) continue;
    context.moveTo(fromX, fromY);
    context.lineTo(toX, toY);
  }
  context.stroke();
}

function loadOf({ circuits }: Pick<MapLine, 'circuits'>): number {
  return circuits === 0 ? 0 : Math.min(loadWidths.length - 1, Math.ceil(Math.log10(circuits + 1)));
}

/** Signs of lines that need attention; more would cover the rest. */
const lineSignsMax = 300;

function paintLineSigns(
  context: CanvasRenderingContext2D,
  picture: Picture,
  room: LabelRoom,
): void {
  const { drawing, screen, inks } = picture;
  const marked = drawing.lines.filter(({ meaning }) => meaning === 'bad' || meaning === 'waiting');
  for (const line of marked.slice(0, lineSignsMax)) {
    const [fromX, fromY, toX, toY] = lineEnds(line, screen);
    if (Number.isNaN(fromX + toX)) continue;
    const [x, y] = [(fromX + toX) / 2, (fromY + toY) / 2];
    room.take(x - 6, y, 12);
    paintSign(context, line.meaning, x, y, 5, inks);
  }
}

function paintNodes(context: CanvasRenderingContext2D, picture: Picture): void {
  const { drawing, screen, inks, sought, hasChosen, pointed } = picture;
  const isBehind = hasChosen || sought !== '';
  for (const [n, node] of drawing.nodes.entries()) {
    const [x, y] = [screen.x[n] as number, screen.y[n] as number];
    if (!isInside(x, y, picture)) continue;
    const radius = radiusOf(node, drawing);
    const isFound = isSought(node, sought) || (hasChosen && node.isEnd);
    context.globalAlpha = isBehind && !isFound && node.meaning !== 'bad' ? 0.55 : 1;
    paintSign(context, node.meaning, x, y, radius, inks);
    context.globalAlpha = 1;
    const isPointed = pointed?.what === 'node' && pointed.at === n;
    if (!isFound && !isPointed) continue;
    context.strokeStyle = inks.accent;
    context.lineWidth = 2.5;
    context.beginPath();
    context.arc(x, y, radius + 4, 0, 2 * Math.PI);
    context.stroke();
  }
}

/** The more circuits, the larger; a group by its routers. */
function radiusOf({ isGroup, routers, circuits }: MapNode, { nodes }: Drawing): number {
  if (isGroup) return 7 + Math.min(16, 3 * Math.log10(routers + 1) ** 1.4);
  const base = nodes.length > 400 ? 3.6 : nodes.length > 100 ? 5 : 6.5;
  return base + Math.min(5, Math.log10(circuits + 1) * 1.6);
}

/** As `SignShape` draws them in the document. */
function paintSign(
  context: CanvasRenderingContext2D,
  meaning: StateMeaning,
  x: number,
  y: number,
  radius: number,
  inks: Inks,
): void {
  context.fillStyle = meaning === 'waiting' || meaning === 'over' ? inks.surface : inks[meaning];
  context.strokeStyle = inks[meaning];
  context.lineWidth = 2;
  context.beginPath();
  if (meaning === 'bad') {
    const size = radius * 1.35;
    context.moveTo(x, y - size);
    context.lineTo(x + size, y + size * 0.8);
    context.lineTo(x - size, y + size * 0.8);
    context.closePath();
  } else if (meaning === 'over') {
    context.rect(x - radius * 0.85, y - radius * 0.85, radius * 1.7, radius * 1.7);
  } else context.arc(x, y, radius, 0, 2 * Math.PI);
  context.fill();
  if (meaning === 'waiting' || meaning === 'over') context.stroke();
  if (meaning === 'good' || radius < 5) return;
  context.beginPath();
  if (meaning === 'waiting') {
    context.moveTo(x, y - radius * 0.55);
    context.lineTo(x, y);
    context.lineTo(x + radius * 0.4, y + radius * 0.25);
  } else if (meaning === 'over') {
    context.moveTo(x - radius * 0.4, y);
    context.lineTo(x + radius * 0.4, y);
  } else {
    context.strokeStyle = inks.surface;
    context.moveTo(x, y - radius * 0.5);
    context.lineTo(x, y + radius * 0.25);
    context.moveTo(x, y + radius * 0.6);
    context.lineTo(x, y + radius * 0.75);
  }
  context.stroke();
}

/** Names beyond these could not be read. */
const namesMax = 250;

/** What is pointed at, sought or in trouble is named first, then what carries most. */
function paintNames(context: CanvasRenderingContext2D, picture: Picture, room: LabelRoom): void {
  const { drawing, screen, inks, sought, pointed, hasChosen } = picture;
  const rank = (n: number, node: MapNode) => {
    if (pointed?.what === 'node' && pointed.at === n) return 0;
    if (isSought(node, sought) || (hasChosen && node.isEnd)) return 1;
    return { bad: 2, waiting: 3, good: 4, over: 5 }[node.meaning];
  };
  const ranked = drawing.nodes
    .map((node, n) => ({ node, n, rank: rank(n, node) }))
    .filter(({ n }) => isInside(screen.x[n] as number, screen.y[n] as number, picture))
    .sort((a, b) => a.rank - b.rank || b.node.circuits - a.node.circuits || a.n - b.n);
  // No name is written over a sign.
  for (const { n } of ranked) room.take((screen.x[n] as number) - 6, screen.y[n] as number, 12);
  for (const { node, n } of ranked.slice(0, namesMax)) {
    const [text, x, y] = [nameOf(node), screen.x[n] as number, screen.y[n] as number];
    const side = radiusOf(node, drawing) + 5;
    const width = widthOf(context, text);
    // To the right where there is room, else to the left, below or above.
    const lefts = [x + side, x - side - width, x - width / 2, x - width / 2];
    const middles = [y, y, y + side + 7, y - side - 7];
    // The cells of its own sign are taken.
    const inset = 8;
    const place = lefts.findIndex((left, at) =>
      room.take(left + (at === 0 ? inset : 0), middles[at] ?? y, width - (at < 2 ? inset : 0)),
    );
    if (place < 0) continue;
    paintText(context, text, lefts[place] ?? x, middles[place] ?? y, inks.ink, inks);
  }
}

function nameOf({ name, isGroup, routers }: MapNode): string {
  return isGroup ? `${name} · ${formatCount(routers)}` : name;
}

/** Lines shorter than this have no room for a label. */
const labelledMin = 70;
const lineLabelsMax = 150;

function paintLineLabels(
  context: CanvasRenderingContext2D,
  picture: Picture,
  room: LabelRoom,
): void {
  const { drawing, screen, inks, lineLabel } = picture;
  if (lineLabel === 'nothing') return;
  context.textAlign = 'center';
  let left = lineLabelsMax;
  for (const line of drawing.lines) {
    const [fromX, fromY, toX, toY] = lineEnds(line, screen);
    if (!(Math.hypot(toX - fromX, toY - fromY) >= labelledMin)) continue;
    const text = labelOf(line, lineLabel);
    if (text === '') continue;
    // A third along the line, as signs stand in its middle, and other lines cross it there.
    const [x, y] = [fromX + (toX - fromX) * 0.36, fromY + (toY - fromY) * 0.36];
    const width = widthOf(context, text);
    if (!isInside(x, y, picture) || !room.take(x - width / 2, y, width)) continue;
    paintText(context, text, x, y, inks.soft, inks);
    left -= 1;
    if (left === 0) break;
  }
  context.textAlign = 'start';
}

function labelOf({ latencyMs, cost, circuits, links }: MapLine, label: LineLabel): string {
  if (label === 'latency') return latencyMs === undefined ? '' : formatLatency(latencyMs);
  const count = label === 'cost' ? cost : circuits;
  if (label === 'circuits' && circuits === 0) return '';
  return links > 1 && label === 'cost' ? `from ${formatCount(count)}` : formatCount(count);
}

/** Widths of texts, px; the browser takes long to measure one. */
const widths = new Map<string, number>();
const widthsKeptMax = 5000;

function widthOf(context: CanvasRenderingContext2D, text: string): number {
  let width = widths.get(text);
  if (width === undefined) {
    if (widths.size >= widthsKeptMax) widths.clear();
    widths.set(text, (width = context.measureText(text).width));
  }
  return width;
}

/** With a rim of the ground, so that it can be read above lines. */
function paintText(
  context: CanvasRenderingContext2D,
  text: string,
  x: number,
  y: number,
  ink: string,
  { surface }: Inks,
): void {
  context.lineJoin = 'round';
  context.lineWidth = 3;
  context.strokeStyle = surface;
  context.strokeText(text, x, y);
  context.fillStyle = ink;
  context.fillText(text, x, y);
}

function isInside(x: number, y: number, { width, height }: Extent): boolean {
  return x > -20 && y > -20 && x < width + 20 && y < height + 20;
}
