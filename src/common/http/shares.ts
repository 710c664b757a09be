import { Injectable } from '@nestjs/common';
import { Config } from '../config/config.js';
import type { LimitName } from '../config/limits.js';
import { Counts } from '../counts.js';
import { DomainError } from '../errors/domain-error.js';
import { SharedCounts } from './shared-counts.js';

const RETRY_AFTER_SECONDS = 5;

/** Limits of a kind. */
interface Share {
  /** Limit per owner: a user, unless `who` says otherwise. */
  readonly perOwner?: LimitName;
  /** Limit of all owners together, in this process. */
  readonly inAll?: LimitName;
  /** Beginning of the message if the owner is no user. */
  readonly who?: string;
  /** Counted in all processes together; otherwise in each by itself. */
  readonly everywhere?: true;
}

/**
 * Kinds of limited concurrent work: requests, expensive kinds of them, and long-lived connections.
 * `docs/operations/limits.md` has the limits.
 */
const KINDS = {
  requests: { perOwner: 'requests-per-user' },
  'requests of an app': { perOwner: 'requests-per-app', who: 'The app already has' },
  'requests of strangers': {
    perOwner: 'requests-per-network',
    inAll: 'anonymous-requests-per-process',
    who: 'Your network already has',
  },
  'requests of guests': { perOwner: 'guest-requests-per-app', who: 'The app already has' },
  'requests with unknown credentials': {
    perOwner: 'guest-requests-per-app',
    who: 'The app already has',
  },
  'requests of a list': { perOwner: 'requests-at-once-per-feed-out', who: 'The list already has' },
  uploads: { perOwner: 'uploads-at-once', everywhere: true },
  'lists of files': { perOwner: 'file-lists-at-once', everywhere: true },
  imports: { perOwner: 'imports-at-once', everywhere: true },
  'previews of feeds': { perOwner: 'feed-previews-at-once', everywhere: true },
  'full texts': { perOwner: 'full-texts-at-once', everywhere: true },
  'lists of chapters': { perOwner: 'chapters-at-once', everywhere: true },
  'pictures of articles': { perOwner: 'pictures-at-once', everywhere: true },
  'requests for help of external apps': { perOwner: 'assistance-at-once', everywhere: true },
  archives: { perOwner: 'archives-per-user', inAll: 'archives-per-process', everywhere: true },
  websockets: {
    perOwner: 'websockets-per-user',
    inAll: 'websockets-per-process',
    everywhere: true,
  },
  // Above the limit, the user's oldest stream ends.
  'live updates': { inAll: 'live-streams-per-process' },
  'waiting chat requests': { inAll: 'chat-waits-per-process' },
} as const satisfies Readonly<Record<string, Share>>;

export type ShareKind = keyof typeof KINDS;

export const SHARE_KINDS = Object.keys(KINDS) as readonly ShareKind[];

/** The owner, or all owners together, have too much of a kind. */
class ShareUsed extends DomainError {
  readonly kind = 'too-many';
  override readonly retryAfterSeconds = RETRY_AFTER_SECONDS;
}

/** Limits concurrent work by kind and owner. */
@Injectable()
export class Shares {
  readonly #here = new Counts();

  constructor(
    private readonly config: Config,
    private readonly counts: SharedCounts,
  ) {}

  /**
   * @param owner a user id, or the kind's own key
   * @returns function to call once when it has ended
   * @throws ShareUsed
   */
  take(kind: ShareKind, owner: string): () => void {
    const { perOwner, inAll, who, everywhere }: Share = KINDS[kind];
    const { limits } = this.config;
    const key = `${kind}/${owner}`;
    const ofOwner = everywhere === true ? this.counts.count(key) : this.#here.of(key);
    if (perOwner !== undefined && ofOwner >= limits[perOwner]) {
      const most = limits[perOwner];
      throw new ShareUsed(
        who === undefined
          ? `You already have ${most} ${kind} in progress; wait until one has finished.`
          : `${who} ${most} ${kind} in progress; wait until one has finished.`,
      );
    }
    if (inAll !== undefined && this.count(kind) >= limits[inAll]) {
      throw new ShareUsed(
        `All users together have ${limits[inAll]} ${kind} in progress; try again later.`,
      );
    }
    const add = (change: 1 | -1): void => {
      this.#here.add(kind, change);
      if (perOwner === undefined) {
        return;
      }
      if (everywhere === true) {
        this.counts.add(key, change);
      } else {
        this.#here.add(key, change);
      }
    };
    add(1);
    return () => add(-1);
  }

  /** Count in this process. */
  count(kind: ShareKind): number {
    return this.#here.of(kind);
  }
}
