/**
 * What the service wrote into the document for scripts to begin with.
 *
 * @throws Error when there is nothing of that name and no `fallback`
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
