import { RequestFailed } from '../host/http.js';

/** Nothing was done, for a reason that is a sentence in the visitor's language. */
export class Refusal extends Error {}

/** The service's own words where it gave any: for dialogs, which lie above the toasts. */
export function reasonOf(error: unknown, fallback: string): string {
  const isSaid = error instanceof RequestFailed || error instanceof Refusal;
  return isSaid && error.message !== '' ? error.message : fallback;
}
