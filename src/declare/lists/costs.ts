// The costs of the steps of a list, by which the plan chooses between them. The nanoseconds were
// measured on 2026-11-22 at 100,000 and 400,000 identities (docs/measurements/2026-11-22-lists.md).

/** Costs per row, in steps over a row: the plan compares them, so only their ratios matter. */
export const rowCosts = {
  /** Steps over a row in an order that the table keeps, without reading its record: 33 to 45 ns. */
  step: 1,
  /** Examines a row that lies next to the last one: 28 to 149 ns, by the conditions. */
  look: 4,
  /** Finds a row by an index and examines it; it seldom lies near the last one: 445 to 625 ns. */
  lookUp: 16,
  /**
   * Compares two rows of a sort: 90 to 314 ns, by the key. It counts for more than that, as a walk
   * in a kept order, which a sort replaces, seldom goes beyond the end of the page.
   */
  compare: 15,
  /**
   * Updates cached matches with one write: 160 to 1,770 ns. It counts for more than that, as all
   * matches are copied as well, at 4 to 10 ns each.
   */
  amend: 80,
};

/** Steps of a filter's budget (`Budget.spend`), of up to 50 ns each. */
export const stepCosts = {
  /** Counts the rows with one value by an index: 100 to 200 ns. */
  indexCount: 4,
  /** Gathers and orders one known row: 1 to 2 µs. */
  gatheredRow: 30,
};

/** So few known rows are gathered and ordered in less than a ms, so they are not counted. */
export const gatheredRowsFree = 500;

/** Rows that are examined in one step: filters of hundreds of conditions take 10 µs per row. */
export const rowsExaminedInAStep = 128;

/** Rows that are sorted or walked over in one step, 0.1 to 1 ms. */
export const rowsOrderedInAStep = 512;

/** Rows that one list walks over at once, 0.5 to 2 ms. @bound */
export const walkedRowsMax = 40_000;

/** Writes that cached matches catch up with at once, some 3 µs each. @bound */
export const amendedAtOnceMax = 1000;

/** If an index leaves less than this share of a table, the rows are examined in one step. */
export const smallPart = 1 / 16;

/** Whether sorting some rows of a table is less work than a walk over all in a kept order. */
export function isSortingCheaper(count: number, ofRows: number): boolean {
  return rowCosts.compare * count * Math.log2(count + 1) <= rowCosts.step * ofRows;
}
