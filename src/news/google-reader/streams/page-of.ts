/** A page that was read with one row more than it shows. */
export interface Page<Row> {
  readonly batches: AsyncIterable<readonly Row[]>;
  /** After the batches: the last row, if more remain. */
  readonly continuesAfter: () => Row | null;
}

/** Leaves out what exceeds `length`, and remembers whether there was any. */
export function pageOf<Row>(all: AsyncIterable<readonly Row[]>, length: number): Page<Row> {
  let count = 0;
  let last: Row | null = null;
  let isCut = false;
  async function* batches(): AsyncGenerator<readonly Row[], void, undefined> {
    for await (const batch of all) {
      const shown = batch.slice(0, length - count);
      count += shown.length;
      last = shown.at(-1) ?? last;
      if (shown.length > 0) {
        yield shown;
      }
      // Reads to the end all the same, which is near: to stop would cost the connection.
      isCut ||= shown.length < batch.length;
    }
  }
  return { batches: batches(), continuesAfter: () => (isCut ? last : null) };
}
