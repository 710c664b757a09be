import { RequestFailed } from '../host/http.js';

/** An action was refused by the page; the message is in the visitor's language. */
export class Refusal extends Error {}

/** The service's error message, for dialogs, which cover the toasts. */
export function reasonOf(error: unknown, fallback: string): string {
  const isSaid = error instanceof RequestFailed || error instanceof Refusal;
  return isSaid && error.message !== '' ? error.message : fallback;
}
