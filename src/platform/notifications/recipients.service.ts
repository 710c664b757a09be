import { Injectable } from '@nestjs/common';
import type { MailResult, MailToUser, Recipients } from '../../common/ports/recipients.js';
import { PreferencesService } from '../accounts/preferences/preferences.service.js';
import { UsersRepository } from '../accounts/users/users.repository.js';
import { MailRefused, MailServer } from '../installation/mail/mail-server.service.js';

/** How users are reached outside of the service. */
@Injectable()
export class RecipientsService implements Recipients {
  constructor(
    private readonly users: UsersRepository,
    private readonly preferences: PreferencesService,
    private readonly server: MailServer,
  ) {}

  get mailSender(): string | null {
    return this.server.sender;
  }

  async mailAddressOf(userId: string): Promise<string | null> {
    const account = await this.users.find(userId);
    return account?.emailConfirmed === true ? account.email : null;
  }

  async languageOf(userId: string): Promise<string> {
    const { pages } = await this.preferences.all(userId);
    return String(pages.values['language']);
  }

  async mail(mail: MailToUser, signal?: AbortSignal): Promise<MailResult> {
    const to = await this.mailAddressOf(mail.userId);
    if (to === null) {
      return { result: 'refused', error: 'Your account has no confirmed mail address.' };
    }
    if (!this.server.isConfigured) {
      return { result: 'later', error: 'This service sends no mail at the moment.' };
    }
    try {
      await this.server.deliver({ ...mail, to }, signal);
      return { result: 'sent' };
    } catch (error) {
      const isFinal = error instanceof MailRefused;
      const reason = (error as Error).message;
      return isFinal
        ? { result: 'refused', error: `The mail server refused the mail: ${reason}` }
        : { result: 'later', error: `The mail server could not be used: ${reason}` };
    }
  }
}
