import { Param } from '@nestjs/common';
import { Get, Post } from '../../common/contracts/routes.js';
import { AdminGuard } from '../../common/auth/admin.guard.js';
import { BasicAuthGuard } from '../../common/auth/basic-auth.guard.js';
import { OcsController } from '../../common/ocs/ocs-controller.decorator.js';
import type { DeadLetter } from '../../database/jobs/job-kind.js';
import { EventDeliveryService, type UndeliveredEvent } from '../events/event-delivery.service.js';
import { UndeliveredEventsAnswer } from './queues.wire.js';

/** Undeliverable events, for administrators. */
@OcsController('apps/app_api/api/v1/dead-letters', {
  bare: true,
  guards: [BasicAuthGuard, AdminGuard],
})
export class DeadLettersController {
  constructor(private readonly events: EventDeliveryService) {}

  @Get('', 'Lists events that could not be delivered.', UndeliveredEventsAnswer)
  async list() {
    return (await this.events.deadLetters()).map(toDeadLetterJson);
  }

  @Post(':id/retry', 'Delivers an event once more.', 'nothing')
  async retry(@Param('id') id: string): Promise<void> {
    await this.events.retry(id);
  }
}

function toDeadLetterJson(letter: DeadLetter<UndeliveredEvent>) {
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
