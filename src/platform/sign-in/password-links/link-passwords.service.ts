import { Injectable } from '@nestjs/common';
import { Clock } from '../../../common/clock.js';
import { hashOf } from '../../../common/secrets/token-hash.js';
import type { Language } from '../../../common/texts/languages.js';
import { NewPasswords } from '../../accounts/passwords/new-passwords.service.js';
import { UsersService } from '../../accounts/users/users.service.js';
import { MailService } from '../../installation/mail/mail.service.js';
import { AppPasswordsService } from '../app-passwords/app-passwords.service.js';
import { LoginThrottle } from '../throttle/login-throttle.service.js';
import { PasswordLinkNotFound } from './password-links.errors.js';
import { PasswordLinksRepository } from './password-links.repository.js';
import { PasswordMailTexts } from './password-mail-texts.service.js';

/** A password set with the link of a mail. */
interface LinkPassword {
  readonly token: string;
  readonly password: string;
  readonly language: Language;
  readonly clientAddress: string;
}

/** Sets passwords with links of mails. */
@Injectable()
export class LinkPasswordsService {
  constructor(
    private readonly links: PasswordLinksRepository,
    private readonly users: UsersService,
    private readonly newPasswords: NewPasswords,
    private readonly loginThrottle: LoginThrottle,
    private readonly mail: MailService,
    private readonly texts: PasswordMailTexts,
    private readonly clock: Clock,
    private readonly appPasswords: AppPasswordsService,
  ) {}

  /**
   * Sets the password, ends all sessions of the user, and after a reset revokes the app passwords and
   * notifies the user by mail. The link is valid once; a password against the rules leaves it valid.
   *
   * @throws PasswordLinkNotFound
   * @throws TooManyLoginAttempts after many invalid links of a network
   */
  async set({ token, password, language, clientAddress }: LinkPassword): Promise<void> {
    const tokenHash = hashOf(token);
    const link = await this.links.find(tokenHash, this.clock.now());
    if (link === null) {
      await this.loginThrottle.countWrongSecret(clientAddress);
      throw new PasswordLinkNotFound();
    }
    const { userId, purpose } = link;
    this.newPasswords.assertAllowed(password, userId);
    const recipient = await this.links.recipient(userId);
    PasswordLinkNotFound.unless(await this.links.take(tokenHash));
    await this.users.changePassword(userId, password);
    // An attacker who knew the old password may have created app passwords.
    for (const { id } of purpose === 'reset' ? await this.appPasswords.list(userId) : []) {
      await this.appPasswords.revoke(userId, id, clientAddress);
    }
    if (purpose === 'reset' && recipient !== null && this.mail.isConfigured) {
      await this.mail.send(await this.texts.ofChange(recipient, language));
    }
  }
}
