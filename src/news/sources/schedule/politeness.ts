/** Gap between requests to a spaced host. */
export const HOST_GAP_MS = 1000;

/** Concurrent fetches from one spaced host, so that a slow one does not accumulate requests. */
export const FETCHES_PER_HOST = 4;
