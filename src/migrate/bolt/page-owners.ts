// Which element leads to which page, so that two that lead to one page are noticed.

/** Pages of one part of the table; parts are created where pages are read. */
const partPages = 1024;

/**
 * Remembers for each page that was read the element that led to it. It takes 8 bytes per page, so
 * 20 MiB for a database of 10 GB with pages of 4 KiB.
 */
export class PageOwners {
  readonly #parts = new Map<number, Float64Array>();

  /**
   * Notes that an element leads to a run of pages.
   * @param owner a number of the element's own, above 0
   * @returns a page of the run to which another element leads; undefined if there is none
   */
  claim(page: number, pages: number, owner: number): number | undefined {
    if (this.#ownerOf(page) === owner) return undefined;
    for (let index = 0; index < pages; index++) {
      const part = this.#partOf(page + index);
      const at = (page + index) % partPages;
      if (part[at] !== 0) return page + index;
      part[at] = owner;
    }
    return undefined;
  }

  #ownerOf(page: number): number | undefined {
    return this.#parts.get(Math.floor(page / partPages))?.[page % partPages];
  }

  #partOf(page: number): Float64Array {
    const number = Math.floor(page / partPages);
    const known = this.#parts.get(number);
    if (known !== undefined) return known;
    const part = new Float64Array(partPages);
    this.#parts.set(number, part);
    return part;
  }
}
