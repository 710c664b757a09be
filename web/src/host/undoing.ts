/** Undoes an optimistic change if the service refuses it. */
export async function undoing<T>(work: Promise<T>, undo: () => void): Promise<T> {
  try {
    return await work;
  } catch (error) {
    undo();
    throw error;
  }
}
