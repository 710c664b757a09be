import type { Request } from 'express';

/** Closes the connection of a sender that sends nothing for this long. */
const STALLED_AFTER_MS = 300_000;

export function abortWhenStalled(request: Request): void {
  request.setTimeout(STALLED_AFTER_MS, () => request.destroy());
}
