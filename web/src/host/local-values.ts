/** What this browser keeps under a name; null where that is missing or damaged. */
export function localValue(name: string): unknown {
  try {
    return JSON.parse(localStorage.getItem(name) ?? 'null');
  } catch {
    return null;
  }
}

/** Without room it lasts until the page is reloaded. */
export function keepLocalValue(name: string, value: unknown): void {
  try {
    localStorage.setItem(name, JSON.stringify(value));
  } catch {
    // Nothing depends on it.
  }
}
