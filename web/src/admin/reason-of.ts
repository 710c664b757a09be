import { RequestFailed } from '../host/http.js';

/** The service's own words where it gave any: for dialogs, which lie above the toasts. */
export function reasonOf(error: unknown, fallback: string): string {
  return error instanceof RequestFailed && error.message !== '' ? error.message : fallback;
}
