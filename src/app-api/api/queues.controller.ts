import { Controller, Delete, Get, UseGuards } from '@nestjs/common';
import { z } from 'zod';
import { AdminGuard } from '../../common/auth/admin.guard.js';
import { BasicAuthGuard } from '../../common/auth/basic-auth.guard.js';
import { ApiPost } from '../../common/http/api-post.decorator.js';
import type { QueueState } from '../../database/job-queue.js';
import { QueuesService, type AnyDeadLetter } from '../queues.service.js';
import { TasksService } from '../tasks.service.js';
import { limit } from './ex-app-inputs.js';
import { GatewayInput } from './gateway-input.decorator.js';
import { toWatchedTaskJson } from './task-wire.js';

const RecentTasks = z.object({ limit: limit(50, 500) });
const DeadLetterPath = z.object({ kind: z.string(), id: z.string() });

/** Plain JSON for the administrator's pages: work that waits, runs or was given up on. */
@Controller('apps/app_api')
@UseGuards(BasicAuthGuard, AdminGuard)
export class QueuesController {
  constructor(
    private readonly queues: QueuesService,
    private readonly tasks: TasksService,
  ) {}

  @Get('queues')
  async overview() {
    return {
      queues: (await this.queues.overview()).map(toQueueJson),
      tasks: await this.tasks.counts(),
    };
  }

  @Get('tasks')
  async recentTasks(@GatewayInput(RecentTasks) { limit: most }: z.output<typeof RecentTasks>) {
    return { tasks: (await this.tasks.recent(most)).map(toWatchedTaskJson) };
  }

  @Get('dead-letters')
  async deadLetters() {
    return { dead_letters: (await this.queues.deadLetters()).map(toDeadLetterJson) };
  }

  @ApiPost('dead-letters/:kind/:id/retry')
  async retry(@GatewayInput(DeadLetterPath) letter: z.output<typeof DeadLetterPath>) {
    await this.queues.retry(letter.kind, letter.id);
    return {};
  }

  @Delete('dead-letters/:kind/:id')
  async drop(@GatewayInput(DeadLetterPath) letter: z.output<typeof DeadLetterPath>) {
    await this.queues.drop(letter.kind, letter.id);
    return {};
  }
}

function toQueueJson({ oldestSeconds, ...counts }: QueueState) {
  return { ...counts, oldest_seconds: oldestSeconds };
}

function toDeadLetterJson(letter: AnyDeadLetter) {
  return {
    kind: letter.kind,
    id: letter.id,
    key: letter.key,
    error: letter.error,
    attempts: letter.attempts,
    sent_at: Math.floor(letter.sentAt.getTime() / 1000),
    given_up_at: Math.floor(letter.givenUpAt.getTime() / 1000),
  };
}
