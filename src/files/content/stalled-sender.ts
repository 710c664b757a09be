import type { Request } from 'express';

/** A sender that sends nothing for this long is taken to be gone. */
const STALLED_AFTER_MS = 300_000;

export function abortWhenStalled(request: Request): void {
  request.setTimeout(STALLED_AFTER_MS, () => request.destroy());
}
