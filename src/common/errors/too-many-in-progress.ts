import { tooMany } from './domain-error.js';

/**
 * The sender's own work of a kind, running or waiting, is as much as it may be.
 *
 * @param kind in the plural, for instance "changes of files"
 */
export class TooManyInProgress extends tooMany(
  (most: number, kind: string) =>
    `You already have ${most} ${kind} in progress; wait until one has finished.`,
  { retryAfterSeconds: 5 },
) {}
