import { Res } from '@nestjs/common';
import type { Response } from 'express';
import { z } from 'zod';
import { BasicAuthGuard } from '../../common/auth/basic-auth.guard.js';
import { RecentProof } from '../../common/auth/recent-proof.js';
import { Media } from '../../common/contracts/operation.decorator.js';
import { Delete, Get, Post } from '../../common/contracts/routes.js';
import {
  CurrentCredential,
  CurrentSession,
  CurrentUser,
} from '../../common/http/current-user.decorator.js';
import { Input, type In } from '../../common/http/input.decorator.js';
import { looseBoolean, orElse } from '../../common/http/loose-inputs.js';
import { sendStream } from '../../common/http/send-stream.js';
import { OcsController } from '../../common/ocs/ocs-controller.decorator.js';
import type { Session } from '../../common/ports/sessions.js';
import { isInPerson, type Account, type Credential } from '../../common/ports/user-directory.js';
import { shownSentence } from '../../common/texts/visitor-language.js';
import { AccountPasswordRequired } from '../platform.errors.js';
import { ExportsService } from './exports.service.js';
import { OwnerGuard } from './owner.guard.js';

const seconds = z.int().describe('Unix seconds.');

const ExportAnswer = z.object({
  archive: z
    .object({
      state: z.enum(['waiting', 'working', 'ready', 'done', 'failed']),
      files: z.boolean(),
      secrets: z.boolean(),
      asked: seconds,
      expires: seconds.nullable().describe('When it is removed; null until it is ready.'),
      entries: z.int().describe('So far.'),
      bytes: z.int().describe('So far.'),
      problem: z.string().nullable().describe('Why it failed.'),
    })
    .nullable()
    .describe('Null without one, and after it has expired.'),
});

const Wish = z.object({
  files: orElse(looseBoolean('must be true or false'), true),
  /** Passwords and tokens for other servers, as plain texts. */
  secrets: orElse(looseBoolean('must be true or false'), false),
});

/** A client may pause a download. */
const STALLED_AFTER_MS = 600_000;

/** Everything that the caller's account has, as one archive. */
@OcsController('apps/gatefold/api/v1/export', { guards: [BasicAuthGuard, OwnerGuard] })
export class ExportsController {
  constructor(
    private readonly exports: ExportsService,
    private readonly recentProof: RecentProof,
  ) {}

  @Get('', 'Shows the archive of the account of the caller.', ExportAnswer)
  async show(@CurrentUser() { userId }: Account) {
    const archive = await this.exports.show(userId);
    if (archive === null) {
      return { archive };
    }
    const { state, withFiles, withSecrets, entries, sizeBytes, problem } = archive;
    return {
      archive: {
        state,
        files: withFiles,
        secrets: withSecrets,
        asked: archive.askedSeconds,
        expires: archive.expiresSeconds,
        entries,
        bytes: sizeBytes,
        problem: problem === null ? null : shownSentence(problem),
      },
    };
  }

  @Post('', 'Has an archive made, in place of the one before.', ExportAnswer)
  async start(
    @CurrentUser() user: Account,
    @CurrentSession() session: Session | undefined,
    @CurrentCredential() used: Credential | undefined,
    @Input(Wish) { files, secrets }: In<typeof Wish>,
  ) {
    if (secrets) {
      this.#assertProven(session, used);
    }
    await this.exports.start({ userId: user.userId, withFiles: files, withSecrets: secrets });
    return this.show(user);
  }

  @Delete('', 'Removes the archive.', 'nothing')
  async remove(@CurrentUser() { userId }: Account): Promise<void> {
    await this.exports.remove(userId);
  }

  @Get('file', 'Sends the archive.', new Media('application/zip', 'The archive.'))
  async download(
    @CurrentUser() { userId }: Account,
    @CurrentSession() session: Session | undefined,
    @CurrentCredential() used: Credential | undefined,
    @Res() response: Response,
  ): Promise<void> {
    const { archive, content } = await this.exports.open(userId);
    if (archive.withSecrets) {
      this.#assertProven(session, used);
    }
    const day = new Date(archive.askedSeconds * 1000).toISOString().slice(0, 10);
    response.attachment(`gatefold-${userId}-${day}.zip`);
    response.status(200).set({
      'Content-Type': 'application/zip',
      'Content-Length': String(archive.sizeBytes),
      'Cache-Control': 'private, no-store',
    });
    if (response.req.method === 'HEAD') {
      response.end();
      return;
    }
    await sendStream(response, content, STALLED_AFTER_MS);
  }

  /** @throws ProofRequired, AccountPasswordRequired */
  #assertProven(session: Session | undefined, used: Credential | undefined): void {
    if (!isInPerson(used)) {
      throw new AccountPasswordRequired();
    }
    this.recentProof.assert(session);
  }
}
