/**
 * Reads an initial state that the service wrote into the document.
 *
 * @throws Error if it does not exist and there is no `fallback`
 */
export function loadState<T>(app: string, key: string, fallback?: T): T {
  const holder = document.getElementById(`initial-state-${app}-${key}`);
  if (holder instanceof HTMLInputElement) {
    return JSON.parse(atob(holder.value)) as T;
  }
  if (fallback === undefined) {
    throw new Error(`There is no initial state "${key}" of ${app}.`);
  }
  return fallback;
}
