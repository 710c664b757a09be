import { Res } from '@nestjs/common';
import type { Response } from 'express';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { z } from 'zod';
import { AdminGuard } from '../../../common/auth/admin.guard.js';
import { BasicAuthGuard } from '../../../common/auth/basic-auth.guard.js';
import { Media } from '../../../common/contracts/operation.decorator.js';
import { Get } from '../../../common/contracts/routes.js';
import { Input, type In } from '../../../common/http/input.decorator.js';
import { OcsController } from '../../../common/ocs/ocs-controller.decorator.js';
import { jsonLines, toEventJson } from './event-json.js';
import { EventsRequest, ExportRequest, toFilter } from './security-events.input.js';
import { SecurityEventsService } from './security-events.service.js';

const SecurityEventsAnswer = z.array(
  z.object({
    id: z.int(),
    time: z.int().describe('Unix seconds.'),
    kind: z.string(),
    user: z.string().nullable(),
    userDeleted: z.int().nullable().describe('When that account was deleted; Unix seconds.'),
    subject: z.object({ kind: z.string(), id: z.string() }).nullable(),
    address: z.string().nullable(),
    details: z.string().nullable(),
    actor: z.string().nullable(),
    actorDeleted: z.int().nullable().describe('When that account was deleted; Unix seconds.'),
    credential: z.string().nullable(),
  }),
);

/** The audit log, for administrators: logins, failed logins, and changes to accounts and settings. */
@OcsController('apps/gatefold/api/v1/security/events', { guards: [BasicAuthGuard, AdminGuard] })
export class SecurityEventsController {
  constructor(private readonly events: SecurityEventsService) {}

  @Get('', 'Lists the audit log, newest first.', SecurityEventsAnswer)
  async list(@Input(EventsRequest) wanted: In<typeof EventsRequest>) {
    const { limit, before, ...filter } = wanted;
    const events = await this.events.list(toFilter(filter), limit, before);
    return events.map((event) => toEventJson(event));
  }

  @Get(
    'export',
    'Sends all matching entries of the audit log, oldest first.',
    new Media('application/x-ndjson', 'One entry per line, as a JSON object.'),
  )
  async export(
    @Input(ExportRequest) wanted: In<typeof ExportRequest>,
    @Res() response: Response,
  ): Promise<void> {
    const lines = jsonLines(await this.events.export(toFilter(wanted)));
    response.status(200).set({
      'Content-Type': 'application/x-ndjson; charset=utf-8',
      'Content-Disposition': 'attachment; filename="gatefold-audit.jsonl"',
    });
    await pipeline(Readable.from(lines), response);
  }
}
