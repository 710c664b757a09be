import { Injectable } from '@nestjs/common';
import { Clock } from '../../../common/clock.js';
import { NoticedChanges } from '../../../database/notices/noticed-changes.js';
import { DatabaseNotices } from '../../../database/notices/notices.js';

/** Announced by a trigger with the type of each task that becomes scheduled. */
const CHANNEL = 'gatefold_tasks';

/** Bounds staleness if the connection for notices is lost without being closed. */
const TRUSTED_SECONDS = 60;
const MOST_TYPES = 10_000;

interface Emptiness {
  /** The latest notice of the type that this process had received before it looked. */
  readonly notice: number;
  readonly untilSeconds: number;
}

/**
 * Task types without a scheduled task, so that polls for them cost no statement. A database notice removes
 * a type; while no notices are received, nothing is cached.
 */
@Injectable()
export class ScheduledTypes {
  /** Number of the latest notice by type. */
  readonly #latest = new Map<string, number>();
  readonly #empty = new Map<string, Emptiness>();
  readonly #changes: NoticedChanges;
  /** The latest notice of types that are not in `#latest`. */
  #floor = 0;

  constructor(
    private readonly clock: Clock,
    notices: DatabaseNotices,
  ) {
    this.#changes = new NoticedChanges(notices, CHANNEL, (type) => this.#note(type));
  }

  /** Increases when a task may have been scheduled; null while that is not known. */
  get changes(): number | null {
    return this.#changes.isHearing ? this.#changes.count : null;
  }

  /** Whether no task of the type is scheduled. False if that is not known. */
  isEmpty(type: string): boolean {
    const empty = this.#empty.get(type);
    return (
      empty !== undefined &&
      empty.notice === this.latestNotice(type) &&
      this.clock.nowSeconds() < empty.untilSeconds
    );
  }

  /** Identifies the latest notice of a type; must be read before the database is asked. */
  latestNotice(type: string): number {
    return this.#latest.get(type) ?? this.#floor;
  }

  /**
   * Remembers that the database has no scheduled task of a type.
   *
   * @param noticeBefore the database was asked; a later notice makes the answer void
   */
  noteEmpty(type: string, noticeBefore: number): void {
    if (this.#changes.isHearing && noticeBefore === this.latestNotice(type)) {
      const untilSeconds = this.clock.nowSeconds() + TRUSTED_SECONDS;
      this.#empty.set(type, { notice: noticeBefore, untilSeconds });
    }
  }

  /** Call after the commit: the notice of the database may arrive later than a request for the task. */
  noteScheduled(type: string): void {
    this.#changes.note(type);
  }

  /** @param type null for all */
  #note(type: string | null): void {
    if (type === null || this.#latest.size >= MOST_TYPES) {
      this.#floor = this.#changes.count;
      this.#latest.clear();
      this.#empty.clear();
    }
    if (type !== null) {
      this.#latest.set(type, this.#changes.count);
    }
  }
}
