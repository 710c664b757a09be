import type { Request } from 'express';
import type { CostlyWork } from '../../common/http/concurrency-limit.decorator.js';

/** Files and pieces together; more than clients send in parallel by default. */
export const UPLOADS: CostlyWork = { name: 'uploads', most: 32 };

/** Closes the connection of a sender that sends nothing for this long. */
const STALLED_AFTER_MS = 300_000;

export function abortWhenStalled(request: Request): void {
  request.setTimeout(STALLED_AFTER_MS, () => request.destroy());
}
