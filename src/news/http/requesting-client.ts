import { AsyncLocalStorage } from 'node:async_hooks';

/** The form of a client name, in X-Gatefold-Client and in GET /events. */
export const CLIENT_NAME = /^[\w-]{1,64}$/;

/** The client program that makes a request. */
interface RequestingClient {
  /** Given by the client, so that live updates leave out its own changes; null for most clients. */
  readonly name: string | null;
  /**
   * Distinguishes the clients of one user by credential, user agent and network. Null for browsers,
   * which store no items.
   */
  readonly key: string | null;
}

const requestingClient = new AsyncLocalStorage<RequestingClient>();

/** Runs `work` on behalf of a client. */
export function asClient<Result>(client: RequestingClient, work: () => Result): Result {
  return requestingClient.run(client, work);
}

/** @returns null for clients without a name */
export function currentClient(): string | null {
  return requestingClient.getStore()?.name ?? null;
}

/** @returns null for browsers and outside of a request */
export function currentClientKey(): string | null {
  return requestingClient.getStore()?.key ?? null;
}
