import { Injectable } from '@nestjs/common';
import { AdministrationLog } from '../../../common/ports/administration-log.js';
import type { Language } from '../../../common/texts/languages.js';
import { JobQueue } from '../../../database/jobs/job-queue.js';
import { UsersService } from '../../accounts/users/users.service.js';
import { MailService } from '../../installation/mail/mail.service.js';
import { SignInSettings } from '../sign-in.settings.js';
import { EmailRequired, NotInvited } from './password-links.errors.js';
import { PasswordLinksRepository } from './password-links.repository.js';
import { INVITATION_JOBS, invitationKey } from './password-mail-jobs.js';

/** Invites new users by mail: they choose their password themselves. */
@Injectable()
export class InvitationsService {
  constructor(
    private readonly mail: MailService,
    private readonly users: UsersService,
    private readonly links: PasswordLinksRepository,
    private readonly jobs: JobQueue,
    private readonly log: AdministrationLog,
    private readonly settings: SignInSettings,
  ) {}

  /** Whether invitations can be sent. */
  get areOffered(): boolean {
    return this.mail.isConfigured && this.settings.takesPasswords;
  }

  /**
   * Sends an invitation, or sends it again, which revokes the former link.
   *
   * @param language of the mail, unless the user has chosen one
   * @throws EmailRequired
   * @throws NotInvited for a user who has logged in, who is disabled, or who logs in elsewhere
   */
  async invite(userId: string, language: Language): Promise<void> {
    const { email, disabled, lastLoginSeconds } = await this.users.show(userId);
    NotInvited.unless(this.mail.isConfigured, 'the service has no mail server');
    NotInvited.unless(
      this.settings.takesPasswordOf(userId),
      'passwords of accounts are not used here',
    );
    if (email === null) {
      throw new EmailRequired();
    }
    if (lastLoginSeconds > 0) {
      throw new NotInvited('the user has logged in already, and can ask for a new password');
    }
    if (disabled || (await this.users.isManaged(userId))) {
      throw new NotInvited('the user is disabled, or logs in elsewhere');
    }
    // The invitation is sent once, even if several jobs wait.
    await this.jobs.drop(INVITATION_JOBS, invitationKey(userId));
    const job = { key: invitationKey(userId), payload: { userId, language } };
    await this.jobs.send(INVITATION_JOBS, [job]);
    await this.log.record({ kind: 'user_invited', userId });
  }
}
