import {
  Injectable,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { randomUUID } from 'node:crypto';
import { COUNTS_VALID_MS, SharedCounts } from '../../common/http/shared-counts.js';
import { Database } from '../database.js';
import { DatabaseNotices } from './notices.js';

const CHANNEL = 'gatefold_counts';

/** Shorter work is not announced. */
const ANNOUNCE_AFTER_MS = 500;
const RENEW_AFTER_MS = COUNTS_VALID_MS / 2;
/** A notification has at most 8,000 bytes, a key less than 150. */
const COUNTS_PER_NOTICE = 40;

interface Announcement {
  /** The process. */
  readonly from: string;
  readonly counts: Readonly<Record<string, number>>;
  /** Whether all work not named in this notice or the following ones has ended. */
  readonly complete?: boolean;
  /** Requests the counts of the others. */
  readonly asks?: true;
}

/** Announces this process's work to the other processes, and receives theirs. Sends nothing while idle. */
@Injectable()
export class CountsAnnouncer implements OnApplicationBootstrap, BeforeApplicationShutdown {
  readonly #processId = randomUUID();
  /** Last announced counts, without zeros. */
  readonly #announced = new Map<string, number>();
  #timer: NodeJS.Timeout | undefined;
  #renewal: NodeJS.Timeout | undefined;
  #isStopping = false;

  constructor(
    private readonly notices: DatabaseNotices,
    private readonly database: Database,
    private readonly counts: SharedCounts,
    private readonly http: HttpAdapterHost,
  ) {
    notices.follow(CHANNEL, {
      heard: (payload) => this.#heard(JSON.parse(payload) as Announcement),
      resumed: () => void this.#ask(),
    });
  }

  onApplicationBootstrap(): void {
    // Commands serve no requests.
    if (this.http?.httpAdapter) {
      this.counts.observe(() => {
        this.#timer ??= setTimeout(() => void this.#announceChanges(), ANNOUNCE_AFTER_MS).unref();
      });
    }
  }

  beforeApplicationShutdown(): void {
    this.#isStopping = true;
    clearTimeout(this.#timer);
    clearTimeout(this.#renewal);
  }

  #heard({ from, counts, complete = false, asks }: Announcement): void {
    if (from === this.#processId) {
      return;
    }
    this.counts.hear(from, counts, complete);
    if (asks) {
      void this.#announceAll();
    }
  }

  /** Called after a pause in which notices were missed. */
  async #ask(): Promise<void> {
    await this.#send({ from: this.#processId, counts: {}, asks: true });
    await this.#announceAll();
  }

  async #announceChanges(): Promise<void> {
    this.#timer = undefined;
    const own = this.counts.own();
    const keys = new Set([...own.keys(), ...this.#announced.keys()]);
    const changes = [...keys]
      .map((key) => [key, own.get(key) ?? 0] as const)
      .filter(([key, count]) => count !== (this.#announced.get(key) ?? 0));
    await this.#announce(changes);
  }

  async #announceAll(): Promise<void> {
    await this.#announce([...this.counts.own()], true);
  }

  async #announce(
    counts: readonly (readonly [string, number])[],
    isComplete = false,
  ): Promise<void> {
    for (let at = 0; at < counts.length; at += COUNTS_PER_NOTICE) {
      const some = counts.slice(at, at + COUNTS_PER_NOTICE);
      for (const [key, count] of some) {
        if (count > 0) {
          this.#announced.set(key, count);
        } else {
          this.#announced.delete(key);
        }
      }
      await this.#send({
        from: this.#processId,
        counts: Object.fromEntries(some),
        ...(isComplete && at === 0 && { complete: true }),
      });
    }
    if (this.#announced.size > 0 && !this.#isStopping) {
      this.#renewal ??= setTimeout(() => {
        this.#renewal = undefined;
        void this.#announceAll();
      }, RENEW_AFTER_MS).unref();
    }
  }

  /** Announcements that fail while the database is away are part of the next renewal. */
  async #send(announcement: Announcement): Promise<void> {
    if (!this.#isStopping) {
      await this.notices
        .announce(CHANNEL, JSON.stringify(announcement), this.database)
        .catch(() => undefined);
    }
  }
}
