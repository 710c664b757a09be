import type { EventEmitter } from 'node:events';

/** Calls `then` when a response or connection has closed; at once if the client has disconnected. */
export function whenClosed(
  connection: EventEmitter & { readonly closed: boolean },
  then: () => void,
): void {
  if (connection.closed) {
    then();
  } else {
    connection.once('close', then);
  }
}
