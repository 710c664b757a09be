import type fc from 'fast-check';

/** A target for any input. */
export interface OpenTarget {
  /** Rejects when an input makes the program fail. */
  readonly property: fc.IAsyncProperty<unknown>;
  close(): Promise<void>;
}

export interface Target {
  /** Name on the command line. */
  readonly name: string;
  /** Inputs of the run inside `npm run test:long`. */
  readonly smokeRuns: number;
  open(): Promise<OpenTarget>;
}
