/** How a sender misbehaves. The first four hold connections; the others send whole requests, route by route. */
export const MANNERS = [
  'never reads',
  'trickles',
  'unfinished body',
  'slow header',
  'largest input',
  'hostile values',
  'in parallel',
] as const;

export type Manner = (typeof MANNERS)[number];

/** A route, with what a request needs to get past its checks. */
export interface Target {
  /** `FeedsController.list` */
  readonly name: string;
  readonly method: string;
  /** With ids of the attacker's own things. */
  readonly path: string;
  /** With placeholders. */
  readonly pattern: string;
  readonly headers: Readonly<Record<string, string>>;
  /** What the route reads, with a value that it accepts. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** A body that is neither JSON nor a form. */
  readonly document: string | null;
}

/** What one sender does in one manner to all routes. */
export interface Attack {
  readonly origin: string;
  readonly manner: Manner;
  readonly targets: readonly Target[];
  /** Of the largest bodies that the sender may send. */
  readonly usualBytes: number;
}

export interface AttackResult {
  readonly requests: number;
  /** How many answers had each status; 0: none in time. */
  readonly statuses: Readonly<Record<number, number>>;
  /** Routes that answered 500. */
  readonly faults: readonly string[];
}

/** Said by the attacking process: which routes are next, or the end. */
export type Message =
  | { readonly kind: 'routes'; readonly name: string }
  | { readonly kind: 'end'; readonly result: AttackResult };
