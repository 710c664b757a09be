import { Injectable } from '@nestjs/common';
import { PublicAddress } from '../../../common/config/public-address.js';
import { NotificationCenter } from '../../../common/ports/notification-center.js';
import { Recipients } from '../../../common/ports/recipients.js';
import { LANGUAGES, type Language } from '../../../common/texts/languages.js';
import { textIn } from '../../../common/texts/translations.js';
import { UsersService } from '../../accounts/users/users.service.js';
import { MailService } from '../../installation/mail/mail.service.js';
import type { Telling } from './leaving.repository.js';

/** Sender of notifications about accounts. */
const SENDER = 'gatefold';
const OBJECT = { appId: SENDER, objectType: 'account-deletion' };

interface MailContents {
  /** For who has not chosen one. */
  readonly language?: Language | undefined;
  readonly leavesAt?: Date | null;
  /** An administrator's sentence; empty: none. */
  readonly reason?: string;
}

type Occasion = 'begun' | 'asked' | 'kept' | 'ended';

/** Tells owners of accounts, and administrators, about deletions. */
@Injectable()
export class LeavingMessages {
  constructor(
    private readonly mail: MailService,
    private readonly recipients: Recipients,
    private readonly center: NotificationCenter,
    private readonly users: UsersService,
    private readonly address: PublicAddress,
  ) {}

  /** Prepares a mail to the owner; nothing is sent without a mail server or a confirmed address. */
  async mailOf(
    occasion: Occasion,
    userId: string,
    { language: fallback = 'en', leavesAt, reason = '' }: MailContents = {},
  ): Promise<Telling> {
    const to = this.mail.isConfigured ? await this.recipients.mailAddressOf(userId) : null;
    if (to === null) {
      return async () => {};
    }
    const chosen = await this.recipients.languageOf(userId);
    const language = LANGUAGES.find((known) => known === chosen) ?? fallback;
    const values = {
      user: userId,
      host: this.address.root.replace(/^https?:\/\//, ''),
      date: leavesAt?.toLocaleDateString(language, { dateStyle: 'long', timeZone: 'UTC' }) ?? '',
      reason,
    };
    const text = (key: string) => textIn(language, 'mail', key, values);
    const isPending = occasion === 'begun' || occasion === 'asked';
    const message = {
      to,
      subject: text(`${occasion}Subject`),
      text: [
        text(occasion),
        ...(reason === '' ? [] : [text('administratorSays')]),
        ...(isPending
          ? [text('keepAccount'), this.address.of('settings/user'), text('tellAdministrator')]
          : []),
      ].join('\n\n'),
      // What is addressed to a deleted account is not sent.
      userId: occasion === 'ended' ? undefined : userId,
    };
    return (tx) => this.mail.send(message, tx);
  }

  async askAdministrators(userId: string): Promise<void> {
    for (const administrator of await this.#administrators()) {
      await this.center.notify({
        ...OBJECT,
        userId: administrator,
        objectId: userId,
        subject: { text: `"${userId}" asks for the deletion of their account.`, parameters: {} },
        message: { text: 'Decide about it in the list of users.', parameters: {} },
        link: this.address.of('settings/admin/users'),
      });
    }
  }

  /** The question is answered, or no longer asked. */
  async withdrawQuestion(userId: string): Promise<void> {
    for (const administrator of await this.#administrators()) {
      await this.center.withdraw({ ...OBJECT, userId: administrator, objectId: userId });
    }
  }

  async tellRefusal(userId: string, reason: string): Promise<void> {
    await this.center.notify({
      ...OBJECT,
      userId,
      objectId: userId,
      subject: { text: 'An administrator keeps your account.', parameters: {} },
      message: { text: reason, parameters: {} },
      link: this.address.of('settings/user'),
    });
  }

  async #administrators(): Promise<string[]> {
    const found = await this.users.search({ text: '', state: 'administrators' });
    return found.filter(({ disabled }) => !disabled).map(({ userId }) => userId);
  }
}
