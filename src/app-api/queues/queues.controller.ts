import { Controller, Param, UseGuards } from '@nestjs/common';
import { z } from 'zod';
import { AdminGuard } from '../../common/auth/admin.guard.js';
import { BasicAuthGuard } from '../../common/auth/basic-auth.guard.js';
import { ApiPost, Delete, Get, Post } from '../../common/contracts/routes.js';
import { InTurn } from '../../common/http/answer-turns.js';
import type { In } from '../../common/http/input.decorator.js';
import { OcsController } from '../../common/ocs/ocs-controller.decorator.js';
import type { DeadLetter } from '../../database/jobs/job-kind.js';
import type { DeadLetterLine, QueueState } from '../../database/jobs/job-statements.js';
import { EventDeliveryService, type UndeliveredEvent } from '../events/event-delivery.service.js';
import { limit, offset } from '../field-schemas.js';
import { GatewayInput } from '../gateway-input.decorator.js';
import { QueuesService } from './queues.service.js';

const letterFields = {
  id: z.string(),
  error: z.string(),
  attempts: z.int(),
  sent_at: z.int().describe('Unix seconds.'),
  given_up_at: z.int().describe('Unix seconds.'),
};

const UndeliveredEventsAnswer = z.array(
  z.looseObject({ ...letterFields, app_id: z.string(), user_id: z.string().nullable() }),
);

const QueuesAnswer = z.object({
  queues: z.array(
    z.object({
      kind: z.string(),
      queued: z.int(),
      retrying: z.int(),
      active: z.int(),
      failed: z.int(),
      oldest_seconds: z.number().nullable(),
    }),
  ),
  tasks: z.record(z.string(), z.int()),
  task_processing: z.record(z.string(), z.int()),
});

const DeadLettersAnswer = z.object({
  total: z.int(),
  dead_letters: z.array(
    z.object({ kind: z.string(), key: z.string().nullable(), ...letterFields }),
  ),
});

const DoneAnswer = z.object({});

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

  @InTurn()
  @Get('dead-letters', 'Lists jobs that were given up.', DeadLettersAnswer)
  async deadLetters(@GatewayInput(DeadLetterList) page: In<typeof DeadLetterList>) {
    const { total, letters } = await this.queues.deadLetters(page.limit, page.offset);
    return { total, dead_letters: letters.map(toDeadLetterJson) };
  }

  @ApiPost('dead-letters/:kind/:id/retry', 'Tries a job again that was given up.', DoneAnswer)
  async retry(@GatewayInput(DeadLetterPath) letter: In<typeof DeadLetterPath>) {
    await this.queues.retry(letter.kind, letter.id);
    return {};
  }

  @Delete('dead-letters/:kind/:id', 'Removes a job that was given up.', DoneAnswer)
  async drop(@GatewayInput(DeadLetterPath) letter: In<typeof DeadLetterPath>) {
    await this.queues.drop(letter.kind, letter.id);
    return {};
  }
}

/** Undeliverable events, for administrators. */
@OcsController('apps/app_api/api/v1/dead-letters', {
  bare: true,
  guards: [BasicAuthGuard, AdminGuard],
})
export class DeadLettersController {
  constructor(private readonly events: EventDeliveryService) {}

  @InTurn()
  @Get('', 'Lists events that could not be delivered.', UndeliveredEventsAnswer)
  async list() {
    return (await this.events.deadLetters()).map(toUndeliveredJson);
  }

  @Post(':id/retry', 'Delivers an event once more.', 'nothing')
  async retry(@Param('id') id: string): Promise<void> {
    await this.events.retry(id);
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

function toUndeliveredJson(letter: DeadLetter<UndeliveredEvent>) {
  const { appId, userId, event } = letter.payload;
  return {
    id: letter.id,
    app_id: appId,
    user_id: userId,
    ...event,
    error: letter.error,
    attempts: letter.attempts,
    sent_at: Math.floor(letter.sentAt.getTime() / 1000),
    given_up_at: Math.floor(letter.givenUpAt.getTime() / 1000),
  };
}
