import { AsyncLocalStorage } from 'node:async_hooks';

/** The form of a client name, in X-Gatefold-Client and in GET /events. */
export const CLIENT_NAME = /^[\w-]{1,64}$/;

/** The program that makes a request. */
export interface RequestingClient {
  /** By which it is left out of live updates about its own changes; null for most programs. */
  readonly name: string | null;
  /**
   * Tells the programs of a user apart, by credential, user agent and address. Null for browsers,
   * which keep nothing of their own.
   */
  readonly key: string | null;
}

const requestingClient = new AsyncLocalStorage<RequestingClient>();

export function asClient<Result>(client: RequestingClient, work: () => Result): Result {
  return requestingClient.run(client, work);
}

/** @returns null for programs that gave no name */
export function currentClient(): string | null {
  return requestingClient.getStore()?.name ?? null;
}

/** @returns null for browsers, and for what no request asked for */
export function currentClientKey(): string | null {
  return requestingClient.getStore()?.key ?? null;
}
