import { Injectable } from '@nestjs/common';
import { AccountDeletionHooks } from '../../../common/ports/hooks.js';
import { SecretBox } from '../../../common/secrets/secret-box.js';
import type { SqlRunner } from '../../../database/database.js';
import {
  PermanentJobFailure,
  type JobAttempt,
  type JobKind,
} from '../../../database/jobs/job-kind.js';
import { JobQueue } from '../../../database/jobs/job-queue.js';
import { MailRefused, MailServer, type MailMessage } from './mail-server.service.js';

/** A mail to send. Sealed, since mails are private, and dead letters stay for a long time. */
interface MailJob {
  /** A `MailMessage` as JSON, sealed, in base64. */
  readonly sealed: string;
}

const SEALED_FOR = 'mail to send';

export const MAIL_JOBS: JobKind<MailJob> = {
  name: 'mail',
  deadlineSeconds: 2 * 24 * 3600,
  retryDelaySeconds: 30,
  longestRetryDelaySeconds: 3600,
  attemptSeconds: 120,
  parallel: 2,
};

/** Stores mails as jobs, and sends them with the mail server of the installation. */
@Injectable()
export class MailService {
  constructor(
    private readonly server: MailServer,
    private readonly jobs: JobQueue,
    private readonly secretBox: SecretBox,
    deletionHooks: AccountDeletionHooks,
  ) {
    jobs.carryOut(MAIL_JOBS, (job) => this.#carryOut(job));
    deletionHooks.add(async (userId) => {
      await jobs.forget(MAIL_JOBS, { keyPrefix: keyOf(userId) });
    });
  }

  /** Whether a mail server is configured; without one, features that need mail are not offered. */
  get isConfigured(): boolean {
    return this.server.isConfigured;
  }

  /**
   * Resolves once the mail is stored for sending; it is sent in the background, with retries.
   *
   * @param tx the mail is stored when it commits
   * @throws Error without a mail server
   */
  async send(message: MailMessage, tx?: SqlRunner): Promise<void> {
    if (!this.isConfigured) {
      throw new Error('No mail server is configured: GATEFOLD_SMTP_URL is not set.');
    }
    const sealed = this.secretBox.seal(JSON.stringify(message), SEALED_FOR).toString('base64');
    await this.jobs.send(MAIL_JOBS, [{ key: keyOf(message.userId), payload: { sealed } }], tx);
  }

  async #carryOut({ payload, signal }: JobAttempt<MailJob>): Promise<void> {
    const message = JSON.parse(
      this.secretBox.open(Buffer.from(payload.sealed, 'base64'), SEALED_FOR),
    ) as MailMessage;
    await deliverJob(this.server, message, signal);
  }
}

/** Like `MailServer.deliver`; a permanently refused mail becomes a dead letter at once. */
export async function deliverJob(
  server: MailServer,
  message: MailMessage,
  signal: AbortSignal,
): Promise<void> {
  try {
    await server.deliver(message, signal);
  } catch (error) {
    throw error instanceof MailRefused
      ? new PermanentJobFailure(error.message, { cause: error })
      : error;
  }
}

/** Ends with a slash, so that no key is a prefix of another one. */
function keyOf(userId: string | undefined): string {
  return userId === undefined ? 'nobody' : `user/${userId}/`;
}
