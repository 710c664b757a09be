import type { EventEmitter } from 'node:events';

/** Calls `then` when a response or connection has closed; now, if the client has gone meanwhile. */
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
