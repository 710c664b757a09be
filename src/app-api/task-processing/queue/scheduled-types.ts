import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { DatabaseNotices, type NoticeListener } from '../../../database/database-notices.js';
import { ProcessingTasksRepository } from './processing-tasks.repository.js';

/** Announced by triggers on the table of tasks, with the type. */
const CHANNEL = 'task_scheduled';

/** In case the connection for notices is lost without being closed. */
const ASK_EVERY_MS = 60_000;

/**
 * Types that may have scheduled tasks, so that apps that ask in vain cost no statement. In memory:
 * marked by the database's notices, unmarked when the database says that there are none. While no
 * notices are received, every type may have some.
 */
@Injectable()
export class ScheduledTypes implements OnApplicationBootstrap {
  /** The number of the latest mark. */
  readonly #marks = new Map<string, number>();
  readonly #listener: NoticeListener = {
    heard: (type) => this.mark(type),
    lost: () => {
      this.#isListening = false;
      this.#changes += 1;
      this.#losses += 1;
    },
    resumed: () => {
      this.#isListening = true;
      this.#askedAtMs = -Infinity;
    },
  };
  #isListening = false;
  #changes = 0;
  #losses = 0;
  #askedAtMs = -Infinity;
  #asking: Promise<void> | null = null;

  constructor(
    private readonly tasks: ProcessingTasksRepository,
    private readonly notices: DatabaseNotices,
    private readonly http: HttpAdapterHost,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    // CLI commands start no web server.
    if (this.http?.httpAdapter) {
      await this.notices.listen(CHANNEL, this.#listener);
      this.#isListening = true;
    }
  }

  /** Increases whenever something may have been scheduled; null while that is not known. */
  get changes(): number | null {
    return this.#isListening ? this.#changes : null;
  }

  /** Those of the types that may have scheduled tasks. */
  async among(types: readonly string[]): Promise<readonly string[]> {
    if (this.#isListening && performance.now() - this.#askedAtMs >= ASK_EVERY_MS) {
      this.#asking ??= this.#askForAll().finally(() => (this.#asking = null));
      await this.#asking;
    }
    return this.#isListening ? types.filter((type) => this.#marks.has(type)) : types;
  }

  /** Call when a task was scheduled, after the commit; other processes hear of it. */
  mark(type: string): void {
    this.#changes += 1;
    this.#marks.set(type, this.#changes);
  }

  /** Unmarks those of the types that have no scheduled tasks. */
  async askAgain(types: readonly string[]): Promise<void> {
    const changes = this.#changes;
    const still = new Set(await this.tasks.scheduledAmong(types));
    this.#unmark(
      types.filter((type) => !still.has(type)),
      changes,
    );
  }

  async #askForAll(): Promise<void> {
    const [changes, losses, startMs] = [this.#changes, this.#losses, performance.now()];
    const types = new Set(await this.tasks.scheduledTypes());
    this.#unmark(
      [...this.#marks.keys()].filter((type) => !types.has(type)),
      changes,
    );
    for (const type of types) {
      this.#marks.set(type, this.#marks.get(type) ?? changes);
    }
    if (losses === this.#losses) {
      this.#askedAtMs = startMs;
    }
  }

  /** @param changes before the database was asked: later marks are of tasks that it did not see */
  #unmark(types: readonly string[], changes: number): void {
    for (const type of types) {
      if ((this.#marks.get(type) ?? 0) <= changes) {
        this.#marks.delete(type);
      }
    }
  }
}
