// Plots as inline SVG: lines over two axes, made only of text and paths.

/** A position on an axis and its label. */
export interface Tick {
  readonly at: number;
  readonly label: string;
}

/** An axis; values between `from` and `to` are shown, on a logarithmic scale if requested. */
export interface Axis {
  readonly title: string;
  readonly from: number;
  readonly to: number;
  readonly logarithmic: boolean;
  readonly ticks: readonly Tick[];
}

/** A line with its name in the legend. */
export interface Series {
  readonly name: string;
  readonly points: readonly (readonly [x: number, y: number])[];
}

/** A plot. */
export interface Chart {
  readonly title: string;
  readonly x: Axis;
  readonly y: Axis;
  readonly series: readonly Series[];
}

/** Colours that the page has. */
const colours = 8;

const width = 460;
/** A line of the legend. */
const legendLine = 14;

const height = 280;
const plot = { left: 56, right: width - 12, top: 34, bottom: height - 66 } as const;

/**
 * The plot as an `<svg>` element. Colours are the page's custom properties `--line-0` to
 * `--line-7`.
 */
export function lineChart({ title, x, y, series }: Chart): string {
  const atX = scale(x, plot.left, plot.right);
  const atY = scale(y, plot.bottom, plot.top);
  const parts = [
    `<text class="${titleClass(title)}" x="4" y="16">${escapeText(title)}</text>`,
    ...x.ticks.map(({ at, label }) => verticalTick(atX(at), label)),
    ...y.ticks.map(({ at, label }) => horizontalTick(atY(at), label)),
    `<text class="axis" x="${plot.right}" y="${plot.bottom + 32}" text-anchor="end">${escapeText(x.title)}</text>`,
    `<text class="axis" x="4" y="${plot.top - 4}">${escapeText(y.title)}</text>`,
    ...series.map((line, index) => linePath(line, index, atX, atY)),
    legend(series),
  ];
  const label = escapeText(title);
  const tall = height + (Math.ceil(series.length / legendColumns(series)) - 1) * legendLine;
  return `<svg viewBox="0 0 ${width} ${tall}" role="img" aria-label="${label}">${parts.join('')}</svg>`;
}

/**
 * Ticks at 1, 2 and 5 times powers of ten within the range, or only at the powers if it is long.
 */
export function logarithmicTicks(
  from: number,
  to: number,
  label: (value: number) => string,
): Tick[] {
  const steps = Math.log10(to / from) > 2.5 ? [1] : [1, 2, 5];
  const ticks: Tick[] = [];
  for (let power = Math.floor(Math.log10(from)); power <= Math.ceil(Math.log10(to)); power++) {
    for (const step of steps) {
      const at = step * 10 ** power;
      if (at >= from * 0.999 && at <= to * 1.001) ticks.push({ at, label: label(at) });
    }
  }
  return ticks;
}

/** Text made safe for HTML and SVG. */
export function escapeText(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

function scale({ from, to, logarithmic }: Axis, start: number, end: number) {
  const place = (value: number): number => (logarithmic ? Math.log(value) : value);
  const low = place(from);
  const span = place(to) - low || 1;
  return (value: number): number => {
    const share = (place(Math.min(Math.max(value, from), to)) - low) / span;
    return Math.round((start + share * (end - start)) * 10) / 10;
  };
}

function verticalTick(x: number, label: string): string {
  const line = `<path class="grid" d="M${x} ${plot.top}V${plot.bottom}"/>`;
  // At the right edge a long label would be cut off.
  const anchor = x >= plot.right ? 'end' : 'middle';
  return `${line}<text x="${x}" y="${plot.bottom + 16}" text-anchor="${anchor}">${escapeText(label)}</text>`;
}

function horizontalTick(y: number, label: string): string {
  const line = `<path class="grid" d="M${plot.left} ${y}H${plot.right}"/>`;
  return `${line}<text x="${plot.left - 6}" y="${y + 4}" text-anchor="end">${escapeText(label)}</text>`;
}

function linePath(
  { points }: Series,
  index: number,
  atX: (value: number) => number,
  atY: (value: number) => number,
): string {
  const colour = `style="stroke:var(--line-${index % colours})"`;
  const places = points.map(([x, y]) => `${atX(x)} ${atY(y)}`);
  const dots = places.map((place) => {
    const [x, y] = place.split(' ');
    return `<circle cx="${x}" cy="${y}" r="2.5" style="fill:var(--line-${index % colours})"/>`;
  });
  // Dots are drawn only if they can be distinguished.
  const marks = points.length <= 6 ? dots.join('') : '';
  return `<path class="line" ${colour} d="M${places.join('L')}"/>${marks}`;
}

/** Long names need room: two beside each other. */
function legendColumns(series: readonly Series[]): number {
  return series.some(({ name }) => name.length > 18) ? 2 : 3;
}

/** Texts that are too long for the plot in full size. */
function titleClass(title: string): string {
  return title.length > 62 ? 'title long' : 'title';
}

function legend(series: readonly Series[]): string {
  const columns = legendColumns(series);
  const cell = (plot.right - plot.left) / columns;
  return series
    .map(({ name }, index) => {
      const x = plot.left + (index % columns) * cell;
      const y = height - 18 + Math.floor(index / columns) * legendLine;
      const colour = `style="stroke:var(--line-${index % colours})"`;
      const key = `<path class="line" ${colour} d="M${x} ${y - 4}h14"/>`;
      return `${key}<text x="${x + 18}" y="${y}">${escapeText(name)}</text>`;
    })
    .join('');
}
