import { Param, Req } from '@nestjs/common';
import type { Request } from 'express';
import { z } from 'zod';
import { AdminGuard } from '../../../common/auth/admin.guard.js';
import { BasicAuthGuard } from '../../../common/auth/basic-auth.guard.js';
import { RecentProof } from '../../../common/auth/recent-proof.js';
import { Delete, Get, Post } from '../../../common/contracts/routes.js';
import { WorksOnFullDisk } from '../../../common/disk/disk-reserve.interceptor.js';
import { CurrentSession, CurrentUser } from '../../../common/http/current-user.decorator.js';
import { Input, type In } from '../../../common/http/input.decorator.js';
import { OcsController } from '../../../common/ocs/ocs-controller.decorator.js';
import type { Session } from '../../../common/ports/sessions.js';
import type { Account } from '../../../common/ports/user-directory.js';
import { languageOf } from '../../../common/texts/languages.js';
import { AccountPasswordGuard } from '../passwords/account-password.guard.js';
import { LeavingService } from './leaving.service.js';

const LeavingAnswer = z.object({
  policy: z
    .enum(['off', 'ask', 'days', 'elsewhere'])
    .describe(
      'Who deletes the account: nobody, an administrator when asked, the service after `days`, or those who manage the directory that it comes from.',
    ),
  days: z.int().nullable(),
  askedSeconds: z.int().nullable().describe('When the caller asked for it: Unix seconds.'),
  leavesSeconds: z.int().nullable().describe('When it happens: Unix seconds; null: undecided.'),
});

/** The deletion of the caller's own account. */
@OcsController('core/leaving', { guards: [BasicAuthGuard, AccountPasswordGuard] })
@WorksOnFullDisk()
export class LeavingController {
  constructor(
    private readonly leaving: LeavingService,
    private readonly recentProof: RecentProof,
  ) {}

  @Get('', 'Shows whether the account of the caller is deleted, and who decides.', LeavingAnswer)
  async show(@CurrentUser() { userId }: Account) {
    return this.leaving.show(userId);
  }

  @Post('', 'Asks for the deletion of the account of the caller.', LeavingAnswer, {
    description: 'If it has a date, all browsers are logged out, and app passwords stop.',
  })
  async ask(
    @Req() request: Request,
    @CurrentUser() { userId }: Account,
    @CurrentSession() session: Session | undefined,
  ) {
    this.recentProof.assert(session);
    await this.leaving.ask(userId, languageOf(request));
    return this.leaving.show(userId);
  }

  @Delete('', 'Keeps the account of the caller.', 'nothing')
  async keep(
    @Req() request: Request,
    @CurrentUser() { userId }: Account,
    @CurrentSession() session: Session | undefined,
  ): Promise<void> {
    this.recentProof.assert(session);
    await this.leaving.keep(userId, languageOf(request));
  }
}

const Decision = z.object({
  delete: z.boolean().describe('At once; otherwise the account is kept.'),
  reason: z.string().default('').describe('A sentence for the owner.'),
});

/** Requests of other users for the deletion of their accounts. */
@OcsController('apps/gatefold/api/v1/users/:userId/leaving', {
  guards: [BasicAuthGuard, AdminGuard],
})
export class LeavingAdminController {
  constructor(private readonly leaving: LeavingService) {}

  @Post('', 'Answers a user who asks for the deletion of the account.', 'nothing')
  async decide(
    @CurrentUser() administrator: Account,
    @Param('userId') userId: string,
    @Input(Decision) { delete: isGranted, reason }: In<typeof Decision>,
  ): Promise<void> {
    await this.leaving.decide(administrator, userId, { isGranted, reason });
  }
}
