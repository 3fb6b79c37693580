// Places for the nodes of the map: nodes with a line between them are drawn close to each other,
// and all of them keep apart (Fruchterman and Reingold, "Graph Drawing by Force-directed
// Placement", 1991). The same orders in the same sequence always give the same places.

/** What is to be placed. */
export interface LayoutOrder {
  /** Ids of the nodes. */
  readonly ids: readonly string[];
  /** Places of both ends of each line among the ids, one after the other. */
  readonly ends: Uint32Array;
  /** Whether places that are known are forgotten first. */
  readonly isAnew: boolean;
}

/** Places that are kept, those of nodes that are not drawn at present included. @bound */
const mapPlacesKeptMax = 10_000;

/**
 * Rounds when all nodes are placed, fewer if they are many, and when only some are added to others.
 * One of 1,000 nodes takes some 3 ms.
 */
const rounds = { all: 150, many: 80, some: 50 } as const;
const manyMin = 500;

/** The distance at which two nodes with a line between them rest, which is the unit of places. */
const rest = 1;

/** How strongly all nodes are drawn to the middle, so that parts without lines stay near. */
const gravity = 0.03;

/** The square of the distance beyond which nodes do not feel each other. */
const feltMax = (8 * rest) ** 2;

/** The angle between two neighbours on a spiral on which places are spread evenly. */
const goldenAngle = Math.PI * (3 - Math.sqrt(5));

/** Remembers where nodes are: one that has a place keeps it while others come and go. */
export class Layout {
  readonly #known = new Map<string, readonly [x: number, y: number]>();

  /** @returns x and y of each node, in the order of the ids */
  place({ ids, ends, isAnew }: LayoutOrder): Float32Array<ArrayBuffer> {
    if (isAnew) this.#known.clear();
    const known = ids.map((id) => this.#known.get(id));
    const isFixed = Uint8Array.from(known, (place) => (place === undefined ? 0 : 1));
    const fixed = isFixed.reduce((sum, one) => sum + one, 0);
    if (fixed < ids.length) {
      // So few known places would force the others into a picture that is none.
      if (fixed < ids.length / 2) isFixed.fill(0);
      const places = new Places(ids.length, ends);
      places.begin(known);
      const whole = ids.length < manyMin ? rounds.all : rounds.many;
      places.settle(isFixed, fixed < ids.length / 2 ? whole : rounds.some);
      for (const [n, id] of ids.entries()) this.#known.set(id, places.at(n));
      this.#forget(ids);
    }
    return Float32Array.from(ids.flatMap((id) => this.#known.get(id) ?? [0, 0]));
  }

  #forget(ids: readonly string[]): void {
    const drawn = new Set(ids);
    for (const id of this.#known.keys()) {
      if (this.#known.size <= mapPlacesKeptMax) break;
      if (!drawn.has(id)) this.#known.delete(id);
    }
  }
}

/** The nodes of one order while they move. */
class Places {
  readonly #count: number;
  readonly #ends: Uint32Array;
  readonly #x: Float64Array;
  readonly #y: Float64Array;
  readonly #forceX: Float64Array;
  readonly #forceY: Float64Array;
  /** How many lines each node has. */
  readonly #lines: Uint32Array;
  readonly #neighbours: readonly (readonly number[])[];

  constructor(count: number, ends: Uint32Array) {
    this.#count = count;
    this.#ends = ends;
    const numbers = () => new Float64Array(count);
    [this.#x, this.#y, this.#forceX, this.#forceY] = [numbers(), numbers(), numbers(), numbers()];
    this.#lines = new Uint32Array(count);
    for (const end of ends) this.#lines[end] = (this.#lines[end] ?? 0) + 1;
    this.#neighbours = neighboursOf(count, ends);
  }

  at(n: number): readonly [x: number, y: number] {
    return [this.#x[n] ?? 0, this.#y[n] ?? 0];
  }

  /** Known places, and for each further node one beside its neighbours. */
  begin(known: readonly (readonly [x: number, y: number] | undefined)[]): void {
    const order = this.#outwards();
    const isPlaced = Uint8Array.from(known, (place) => (place === undefined ? 0 : 1));
    const isAny = isPlaced.includes(1);
    for (const [n, place] of known.entries()) {
      if (place !== undefined) [this.#x[n], this.#y[n]] = place;
    }
    for (const [step, n] of order.entries()) {
      if (isPlaced[n] === 1) continue;
      const around = (this.#neighbours[n] ?? []).filter((other) => isPlaced[other] === 1);
      const angle = step * goldenAngle;
      if (isAny && around.length > 0) {
        this.#x[n] = mean(around, this.#x) + rest * 0.7 * Math.cos(angle);
        this.#y[n] = mean(around, this.#y) + rest * 0.7 * Math.sin(angle);
      } else {
        const distance = rest * 0.7 * Math.sqrt(step + 0.5);
        this.#x[n] = distance * Math.cos(angle);
        this.#y[n] = distance * Math.sin(angle);
      }
      isPlaced[n] = 1;
    }
  }

  /** Lets all nodes move that are not fixed, each round a little less far. */
  settle(isFixed: Uint8Array, count: number): void {
    const furthest = rest * Math.max(0.5, Math.sqrt(this.#count) / 8);
    for (let round = 0; round < count; round += 1) {
      this.#repel();
      this.#attract();
      this.#move(isFixed, furthest * (1 - round / count) ** 1.5 + 0.005);
    }
  }

  /** Nodes keep apart, the more the closer they are; those far away are not felt. */
  #repel(): void {
    const [x, y, forceX, forceY, count] = [
      this.#x,
      this.#y,
      this.#forceX,
      this.#forceY,
      this.#count,
    ];
    forceX.fill(0);
    forceY.fill(0);
    for (let one = 0; one < count; one += 1) {
      const [oneX, oneY] = [x[one] as number, y[one] as number];
      let [sumX, sumY] = [0, 0];
      for (let other = one + 1; other < count; other += 1) {
        let dx = oneX - (x[other] as number);
        let dy = oneY - (y[other] as number);
        let square = dx * dx + dy * dy;
        if (square > feltMax) continue;
        if (square < 1e-4) {
          // Two nodes at one place would stay together for ever.
          dx = 0.01 * Math.cos(other);
          dy = 0.01 * Math.sin(other);
          square = 1e-4;
        }
        const force = (rest * rest) / square;
        sumX += dx * force;
        sumY += dy * force;
        forceX[other] = (forceX[other] as number) - dx * force;
        forceY[other] = (forceY[other] as number) - dy * force;
      }
      forceX[one] = (forceX[one] as number) + sumX;
      forceY[one] = (forceY[one] as number) + sumY;
    }
  }

  /** Lines draw their ends together; each of the many lines of one node is weak. */
  #attract(): void {
    const [x, y, forceX, forceY] = [this.#x, this.#y, this.#forceX, this.#forceY];
    for (let at = 0; at < this.#ends.length; at += 2) {
      const one = this.#ends[at] as number;
      const other = this.#ends[at + 1] as number;
      const dx = (x[one] as number) - (x[other] as number);
      const dy = (y[one] as number) - (y[other] as number);
      const lines = Math.min(this.#lines[one] as number, this.#lines[other] as number);
      const pull = Math.sqrt(dx * dx + dy * dy) / rest / Math.sqrt(Math.max(1, lines));
      forceX[one] = (forceX[one] as number) - dx * pull;
      forceY[one] = (forceY[one] as number) - dy * pull;
      forceX[other] = (forceX[other] as number) + dx * pull;
      forceY[other] = (forceY[other] as number) + dy * pull;
    }
  }

  #move(isFixed: Uint8Array, furthest: number): void {
    for (let n = 0; n < this.#count; n += 1) {
      if (isFixed[n] === 1) continue;
      const [x, y] = this.at(n);
      const forceX = (this.#forceX[n] as number) - x * gravity * Math.sqrt(this.#count);
      const forceY = (this.#forceY[n] as number) - y * gravity * Math.sqrt(this.#count);
      const force = Math.sqrt(forceX * forceX + forceY * forceY);
      const share = force === 0 ? 0 : Math.min(force, furthest) / force;
      this.#x[n] = x + forceX * share;
      this.#y[n] = y + forceY * share;
    }
  }

  /** All nodes: the one with the most lines first, then those next to it, and so on. */
  #outwards(): readonly number[] {
    const byLines = Array.from({ length: this.#count }, (_, n) => n).sort(
      (a, b) => (this.#lines[b] as number) - (this.#lines[a] as number) || a - b,
    );
    const isFound = new Uint8Array(this.#count);
    const order: number[] = [];
    for (const first of byLines) {
      if (isFound[first] === 1) continue;
      isFound[first] = 1;
      order.push(first);
      for (let at = order.length - 1; at < order.length; at += 1) {
        for (const next of this.#neighbours[order[at] as number] ?? []) {
          if (isFound[next] === 1) continue;
          isFound[next] = 1;
          order.push(next);
        }
      }
    }
    return order;
  }
}

function neighboursOf(count: number, ends: Uint32Array): readonly (readonly number[])[] {
  const neighbours: number[][] = Array.from({ length: count }, () => []);
  for (let at = 0; at < ends.length; at += 2) {
    const [one = 0, other = 0] = [ends[at], ends[at + 1]];
    neighbours[one]?.push(other);
    neighbours[other]?.push(one);
  }
  return neighbours;
}

function mean(all: readonly number[], values: Float64Array): number {
  return all.reduce((sum, n) => sum + (values[n] ?? 0), 0) / all.length;
}
