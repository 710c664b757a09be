import { Controller, UseGuards } from '@nestjs/common';
import { z } from 'zod';
import { ApiPost, Delete, Get } from '../../common/contracts/routes.js';
import { AdminGuard } from '../../common/auth/admin.guard.js';
import { BasicAuthGuard } from '../../common/auth/basic-auth.guard.js';
import type { DeadLetterLine, QueueState } from '../../database/jobs/job-statements.js';
import { QueuesService } from './queues.service.js';
import { limit, offset } from '../field-schemas.js';
import { GatewayInput } from '../gateway-input.decorator.js';
import { QueuesAnswer, DeadLettersAnswer, DoneAnswer } from './queues.wire.js';

const DeadLetterList = z.object({ limit: limit(50, 500), offset });
const DeadLetterPath = z.object({ kind: z.string(), id: z.string() });

/** Plain JSON for the administrator's pages: job queues, numbers of tasks, and dead letters. */
@Controller('apps/app_api')
@UseGuards(BasicAuthGuard, AdminGuard)
export class QueuesController {
  constructor(private readonly queues: QueuesService) {}

  @Get('queues', 'Counts jobs and tasks.', QueuesAnswer)
  async overview() {
    return {
      queues: (await this.queues.overview()).map(toQueueJson),
      ...(await this.queues.tasks()),
    };
  }

  @Get('dead-letters', 'Lists jobs that were given up.', DeadLettersAnswer)
  async deadLetters(@GatewayInput(DeadLetterList) page: z.output<typeof DeadLetterList>) {
    const { total, letters } = await this.queues.deadLetters(page.limit, page.offset);
    return { total, dead_letters: letters.map(toDeadLetterJson) };
  }

  @ApiPost('dead-letters/:kind/:id/retry', 'Tries a job again that was given up.', DoneAnswer)
  async retry(@GatewayInput(DeadLetterPath) letter: z.output<typeof DeadLetterPath>) {
    await this.queues.retry(letter.kind, letter.id);
    return {};
  }

  @Delete('dead-letters/:kind/:id', 'Removes a job that was given up.', DoneAnswer)
  async drop(@GatewayInput(DeadLetterPath) letter: z.output<typeof DeadLetterPath>) {
    await this.queues.drop(letter.kind, letter.id);
    return {};
  }
}

function toQueueJson({ oldestSeconds, ...counts }: QueueState) {
  return { ...counts, oldest_seconds: oldestSeconds };
}

function toDeadLetterJson(letter: DeadLetterLine) {
  return {
    kind: letter.kind,
    id: letter.id,
    key: letter.key,
    error: letter.error,
    attempts: letter.attempts,
    sent_at: letter.sentAtSeconds,
    given_up_at: letter.givenUpAtSeconds,
  };
}
