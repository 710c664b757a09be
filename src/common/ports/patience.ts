/** How long a caller waits for the work of an external app, and its signals meanwhile. */
export interface Patience {
  /** The work is given up after this time; default: a few minutes. */
  readonly maxSeconds?: number;
  /** Aborts the work; the call throws the reason. */
  readonly signal?: AbortSignal;
  /** @param progress from 0 to 1; called when it has changed */
  readonly onProgress?: (progress: number) => void;
}
