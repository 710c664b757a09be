import { z } from 'zod';
import { AdminGuard } from '../../common/auth/admin.guard.js';
import { BasicAuthGuard } from '../../common/auth/basic-auth.guard.js';
import { Get, Post } from '../../common/contracts/routes.js';
import { WorksOnFullDisk } from '../../common/disk/disk-reserve.interceptor.js';
import { CurrentUser } from '../../common/http/current-user.decorator.js';
import { OcsController } from '../../common/ocs/ocs-controller.decorator.js';
import type { Account } from '../../common/ports/user-directory.js';
import { shownSentence } from '../../common/texts/visitor-language.js';
import { OverviewService } from './overview.service.js';
import { TestMailsService } from './test-mails.service.js';

const at = z.int().describe('Unix seconds.');
const count = z.int();
const known = z.int().nullable();

const OverviewAnswer = z.object({
  lastBackup: at.nullable().describe('Of the audit log; null: none is known.'),
  processes: z.array(z.object({ name: z.string(), version: z.string(), at, memoryBytes: known })),
  day: z
    .array(
      z.object({
        at,
        processes: count,
        processorPercent: count.describe('Of one processor.'),
        loadPercent: count.describe('Of all processors of the busiest machine.'),
        memoryBytes: known,
        diskSpareBytes: known.describe('Above the reserve, on the fullest disk.'),
        queuedJobs: known,
        dueFeeds: known,
      }),
    )
    .describe('All processes together, by five minutes.'),
  accounts: z
    .array(
      z.object({
        id: z.string(),
        displayName: z.string(),
        requests: count,
        databaseMs: count,
        bytes: count,
      }),
    )
    .describe('Those that used the most within the last day.'),
});

const TestMailAnswer = z.object({
  state: z.enum(['ok', 'warning', 'error', 'off']),
  text: z.string().describe('With the answer of the mail server.'),
});

/** The last day of the installation, for administrators. */
@OcsController('apps/gatefold/api/v1', { guards: [BasicAuthGuard, AdminGuard] })
export class OverviewController {
  constructor(
    private readonly overview: OverviewService,
    private readonly testMails: TestMailsService,
  ) {}

  @Get('overview', 'Shows what processes and accounts used within the last day.', OverviewAnswer)
  async show() {
    return this.overview.show();
  }

  @Post('test-mail', 'Sends a mail to the administrator who asks.', TestMailAnswer)
  @WorksOnFullDisk()
  async sendTestMail(@CurrentUser() { userId }: Account) {
    const { state, text } = await this.testMails.send(userId);
    return { state, text: shownSentence(text) };
  }
}
