import { Injectable, Logger } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { Interval } from '@nestjs/schedule';
import { DatabaseUnavailable } from '../../../database/database-unavailable.js';
import { TaskRounds } from './task-rounds.service.js';

const ROUND_MS = 60_000;

/** Looks after tasks once a minute, in every process. */
@Injectable()
export class TaskQueueSchedule {
  readonly #logger = new Logger('Tasks');

  constructor(
    private readonly http: HttpAdapterHost,
    private readonly rounds: TaskRounds,
  ) {}

  @Interval('tasks', ROUND_MS)
  async tick(): Promise<void> {
    // Commands run without a web server, and without this schedule.
    if (!this.http.listening) {
      return;
    }
    try {
      await this.rounds.run();
    } catch (error) {
      // Repeated with the next tick. An unavailable database is logged elsewhere.
      if (!(error instanceof DatabaseUnavailable)) {
        this.#logger.error(`the round of tasks failed: ${(error as Error).message}`);
      }
    }
  }
}
