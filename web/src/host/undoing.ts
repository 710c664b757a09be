/** Undoes what is shown already when the service refuses it. */
export async function undoing<T>(work: Promise<T>, undo: () => void): Promise<T> {
  try {
    return await work;
  } catch (error) {
    undo();
    throw error;
  }
}
