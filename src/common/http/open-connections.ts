import { Injectable } from '@nestjs/common';
import { Config } from '../config/config.js';
import type { LimitName } from '../config/limits.js';
import { DomainError } from '../errors/domain-error.js';
import { SharedCounts } from './shared-counts.js';

const RETRY_AFTER_SECONDS = 10;

/** Kinds of long-lived requests and connections, and their limits per process. */
const KINDS = {
  archives: { perUser: 'archives-per-user', inAll: 'archives-per-process' },
  websockets: { perUser: 'websockets-per-user', inAll: 'websockets-per-process' },
  // Beyond the limit the user's oldest one ends.
  'live updates': { perUser: null, inAll: 'live-streams-per-process' },
  'waiting chat requests': { perUser: null, inAll: 'chat-waits-per-process' },
} as const satisfies Readonly<
  Record<string, { readonly perUser: LimitName | null; readonly inAll: LimitName }>
>;

export type ConnectionKind = keyof typeof KINDS;

export const CONNECTION_KINDS = Object.keys(KINDS) as readonly ConnectionKind[];

class TooManyConnections extends DomainError {
  readonly kind = 'too-many';
  override readonly retryAfterSeconds = RETRY_AFTER_SECONDS;

  constructor(most: number, kind: ConnectionKind, whose: string) {
    super(`There are ${most} ${kind} ${whose} in progress. Try again when one has ended.`);
  }
}

/** Limits long-lived requests and connections: per user in all processes, and in all in this one. */
@Injectable()
export class OpenConnections {
  readonly #here = new Map<ConnectionKind, number>();

  constructor(
    private readonly config: Config,
    private readonly counts: SharedCounts,
  ) {}

  /**
   * @param owner a user id, or the client address of a guest
   * @returns function to call once when it has ended
   * @throws TooManyConnections
   */
  open(kind: ConnectionKind, owner: string): () => void {
    const { perUser, inAll } = KINDS[kind];
    const { limits } = this.config;
    const ofOwner = `${kind}/${owner}`;
    if (perUser !== null && this.counts.count(ofOwner) >= limits[perUser]) {
      throw new TooManyConnections(limits[perUser], kind, 'of yours');
    }
    if (this.count(kind) >= limits[inAll]) {
      throw new TooManyConnections(limits[inAll], kind, 'of all users');
    }
    const add = (change: 1 | -1): void => {
      this.#here.set(kind, this.count(kind) + change);
      if (perUser !== null) {
        this.counts.add(ofOwner, change);
      }
    };
    add(1);
    return () => add(-1);
  }

  /** How many there are in this process. */
  count(kind: ConnectionKind): number {
    return this.#here.get(kind) ?? 0;
  }
}
