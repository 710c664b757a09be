import { Injectable } from '@nestjs/common';
import { invalid, tooMany } from '../../common/errors/domain-error.js';
import { Allowances } from '../../common/ports/allowances.js';
import { UsersService } from '../accounts/users/users.service.js';
import { MailChecks } from '../installation/mail/mail.checks.js';

class NoMailAddress extends invalid(
  'Your account has no mail address. Add one in your settings.',
) {}

class TooManyTestMails extends tooMany(
  (most: number, retryAfterSeconds: number) =>
    `You had ${most} test mails sent within an hour; try again in ${Math.ceil(retryAfterSeconds / 60)} min.`,
  (_most, retryAfterSeconds) => ({ retryAfterSeconds }),
) {}

const ALLOWED = { kind: 'test mails', most: 5, periodSeconds: 3600 };

/** Sends a trial to the administrator who asks. */
@Injectable()
export class TestMailsService {
  constructor(
    private readonly users: UsersService,
    private readonly mails: MailChecks,
    private readonly allowances: Allowances,
  ) {}

  /** @returns the answer of the mail server @throws NoMailAddress, TooManyTestMails */
  async send(userId: string) {
    const { email } = await this.users.show(userId);
    if (!email) {
      throw new NoMailAddress();
    }
    const { granted, waitSeconds } = await this.allowances.take(userId, ALLOWED);
    if (granted === 0) {
      throw new TooManyTestMails(ALLOWED.most, waitSeconds);
    }
    return this.mails.sendTrial(email);
  }
}
