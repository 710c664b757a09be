import { AsyncLocalStorage } from 'node:async_hooks';

/**
 * The program that asks for a change, by the name it gave itself, for as long as its request is
 * served. It need not be told of what it did; beside that nothing may depend on it.
 */
const changingClient = new AsyncLocalStorage<string>();

export function asClient<Result>(name: string, work: () => Result): Result {
  return changingClient.run(name, work);
}

/** @returns null for programs that gave no name */
export function currentClient(): string | null {
  return changingClient.getStore() ?? null;
}
