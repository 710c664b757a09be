import { Injectable } from '@nestjs/common';
import { randomBytes } from 'node:crypto';
import { Clock } from '../../../common/clock.js';
import { AccountDeletionHooks } from '../../../common/ports/hooks.js';
import { SecretBox } from '../../../common/secrets/secret-box.js';
import { hashOf } from '../../../common/secrets/token-hash.js';
import type { Language } from '../../../common/texts/languages.js';
import { DAY_SECONDS } from '../../../common/units.js';
import { JobQueue } from '../../../database/jobs/job-queue.js';
import { MailServer } from '../../installation/mail/mail-server.service.js';
import { deliverJob } from '../../installation/mail/mail.service.js';
import { SignInSettings } from '../sign-in.settings.js';
import { TooManyPasswordLinks } from './password-links.errors.js';
import { PasswordLinksRepository, type LinkRecipient } from './password-links.repository.js';
import {
  INVITATION_JOBS,
  invitationKey,
  RESET_JOBS,
  SEALED_FOR,
  type InvitationJob,
  type ResetJob,
  type ResetRequest,
} from './password-mail-jobs.js';
import { PasswordMailTexts } from './password-mail-texts.service.js';

const TOKEN_BYTES = 32;
const RESET_SECONDS = 3600;
/** Interval in which further requests send nothing, since anyone can request a mail for others. */
const REST_SECONDS = 300;
/** Limit per hour. Protects the mail server's reputation; strangers who know no name do not reach it. */
const MOST_MAILS = 1000;

/** Sends mails with links for passwords: the jobs. */
@Injectable()
export class PasswordMails {
  constructor(
    private readonly links: PasswordLinksRepository,
    private readonly texts: PasswordMailTexts,
    private readonly server: MailServer,
    private readonly secretBox: SecretBox,
    private readonly clock: Clock,
    private readonly settings: SignInSettings,
    jobs: JobQueue,
    deletionHooks: AccountDeletionHooks,
  ) {
    jobs.carryOut(INVITATION_JOBS, ({ payload, signal }) => this.#invite(payload, signal));
    jobs.carryOut(RESET_JOBS, ({ payload, signal }) => this.#reset(payload, signal));
    deletionHooks.add(async (userId) => {
      await jobs.forget(INVITATION_JOBS, { keyPrefix: invitationKey(userId) });
    });
  }

  async #invite({ userId, language }: InvitationJob, signal: AbortSignal): Promise<void> {
    const recipient = await this.links.recipient(userId);
    if (recipient !== null) {
      const validSeconds = this.settings.invitationDays * DAY_SECONDS;
      await this.#send('invitation', recipient, { validSeconds, language, signal });
    }
  }

  async #reset({ sealed }: ResetJob, signal: AbortSignal): Promise<void> {
    const plain = this.secretBox.open(Buffer.from(sealed, 'base64'), SEALED_FOR);
    const { asked, language } = JSON.parse(plain) as ResetRequest;
    const since = this.#secondsAgo(REST_SECONDS);
    for (const recipient of await this.links.recipients(asked)) {
      if (!(await this.links.wasSent(recipient.userId, 'reset', since))) {
        await this.#assertFewMails();
        await this.#send('reset', recipient, { validSeconds: RESET_SECONDS, language, signal });
      }
    }
  }

  /** @throws TooManyPasswordLinks; the job is repeated later */
  async #assertFewMails(): Promise<void> {
    if ((await this.links.countSent('reset', this.#secondsAgo(RESET_SECONDS))) >= MOST_MAILS) {
      throw new TooManyPasswordLinks(RESET_SECONDS);
    }
  }

  #secondsAgo(seconds: number): Date {
    return new Date(this.clock.now().getTime() - seconds * 1000);
  }

  /** The link exists before the mail arrives; an attempt that fails is replaced by the next one. */
  async #send(
    purpose: 'invitation' | 'reset',
    recipient: LinkRecipient,
    more: {
      readonly validSeconds: number;
      readonly language: Language;
      readonly signal: AbortSignal;
    },
  ): Promise<void> {
    const { validSeconds, language, signal } = more;
    const token = randomBytes(TOKEN_BYTES).toString('base64url');
    const tokenHash = hashOf(token);
    const createdAt = this.clock.now();
    const expiresAt = new Date(createdAt.getTime() + validSeconds * 1000);
    if (!(await this.links.put({ ...recipient, purpose, tokenHash, createdAt, expiresAt }))) {
      return;
    }
    const message = await this.texts.withLink(purpose, recipient, token, validSeconds, language);
    await deliverJob(this.server, message, signal);
    await this.links.markSent(tokenHash, this.clock.now());
  }
}
