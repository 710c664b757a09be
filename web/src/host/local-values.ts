/** A value in this browser's storage; null if it is missing or damaged. */
export function localValue(name: string): unknown {
  try {
    return JSON.parse(localStorage.getItem(name) ?? 'null');
  } catch {
    return null;
  }
}

/** Stores an optional value: dropped if the storage is full or not allowed. */
export function keepLocalValue(name: string, value: unknown): void {
  try {
    localStorage.setItem(name, JSON.stringify(value));
  } catch {
    // It lasts until the page is reloaded.
  }
}
