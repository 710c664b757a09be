/** Rows per transaction: few enough that requests of a user never wait long for a lock. */
export const ROWS_PER_BATCH = 5000;

/** Repeats work on at most `size` rows until fewer are left. @returns the number of rows in all */
export async function inBatches(
  work: () => Promise<number>,
  size = ROWS_PER_BATCH,
): Promise<number> {
  let total = 0;
  for (;;) {
    const done = await work();
    total += done;
    if (done < size) {
      return total;
    }
  }
}
