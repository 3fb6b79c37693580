// Waits for many answers, of which only some are asked for at the same time.

/**
 * Does `work` for each item in their order, for at most `linesMax` at the same time. Resolves when
 * all are done. @throws what `work` rejects with; the other lines go on.
 */
export async function inLines<Item>(
  items: Iterable<Item>,
  linesMax: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const waiting = items[Symbol.iterator]();
  const line = async (): Promise<void> => {
    for (let next = waiting.next(); next.done !== true; next = waiting.next()) {
      await work(next.value);
    }
  };
  await Promise.all(Array.from({ length: linesMax }, line));
}
