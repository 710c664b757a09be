import { Get } from '@nestjs/common';
import { z } from 'zod';
import { AdminGuard } from '../../common/auth/admin.guard.js';
import { BasicAuthGuard } from '../../common/auth/basic-auth.guard.js';
import { Input } from '../../common/http/input.decorator.js';
import { OcsController } from '../../common/ocs/ocs-controller.decorator.js';
import { SECURITY_EVENT_KINDS } from './security-event-kinds.js';
import type { SecurityEvent } from './security-events.repository.js';
import { SecurityEventsService } from './security-events.service.js';
import { Operation } from '../../common/contracts/operation.decorator.js';
import { SecurityEventsAnswer } from './security-events.wire.js';

const MOST_AT_ONCE = 500;

const LONGEST_BEGINNING = 200;

/** Absent or empty (as in forms) matches all. */
const beginning = z
  .string()
  .trim()
  .max(LONGEST_BEGINNING)
  .nullish()
  .transform((text) => text || null);

const EventsRequest = z.object({
  limit: z.coerce.number().int().min(1).max(MOST_AT_ONCE).default(50),
  /** Cursor: id of the oldest event of the previous page. */
  before: z.coerce.number().int().min(1).nullable().default(null),
  kind: z
    .enum(['', ...SECURITY_EVENT_KINDS], { error: 'must be a kind of event' })
    .nullish()
    .transform((kind) => kind || null),
  user: beginning,
  address: beginning,
});

/** Logins, failed logins and changes to accounts, for administrators. */
@OcsController('apps/gatefold/api/v1/security/events', { guards: [BasicAuthGuard, AdminGuard] })
export class SecurityEventsController {
  constructor(private readonly events: SecurityEventsService) {}

  @Get()
  @Operation('Lists logins and changes to accounts, newest first.', SecurityEventsAnswer)
  async list(@Input(EventsRequest) wanted: z.output<typeof EventsRequest>) {
    const { limit, before, ...filter } = wanted;
    const events = await this.events.list(filter, limit, before);
    return events.map((event) => toEventJson(event));
  }
}

function toEventJson(event: SecurityEvent) {
  const { id, happenedSeconds, kind, userId, address, details, actorId, credential } = event;
  return {
    id,
    time: happenedSeconds,
    kind,
    user: userId,
    address,
    details,
    actor: actorId,
    credential,
  };
}
