import { Injectable } from '@nestjs/common';
import { PublicAddress } from '../../../common/config/public-address.js';
import { LANGUAGES, type Language } from '../../../common/texts/languages.js';
import { textIn } from '../../../common/texts/translations.js';
import { DAY_SECONDS, HOUR_SECONDS } from '../../../common/units.js';
import { PreferencesService } from '../../accounts/preferences/preferences.service.js';
import type { MailMessage } from '../../installation/mail/mail-server.service.js';
import type { LinkRecipient, PasswordLinkPurpose } from './password-links.repository.js';

/** Writes the mails about passwords, in the language of their recipients. */
@Injectable()
export class PasswordMailTexts {
  constructor(
    private readonly preferences: PreferencesService,
    private readonly address: PublicAddress,
  ) {}

  /** @param token in the fragment of the link, which browsers send to no server */
  async withLink(
    purpose: PasswordLinkPurpose,
    recipient: LinkRecipient,
    token: string,
    validSeconds: number,
    fallback: Language,
  ): Promise<MailMessage> {
    const language = await this.#languageOf(recipient.userId, fallback);
    const values = this.#values(recipient);
    const text = (key: string, more = {}) => textIn(language, 'mail', key, { ...values, ...more });
    const duration = durationIn(language, validSeconds);
    return {
      to: recipient.email,
      userId: recipient.userId,
      subject: text(purpose === 'reset' ? 'resetSubject' : 'invitationSubject'),
      text: [
        text(purpose === 'reset' ? 'reset' : 'invitation'),
        text('choose', { duration }),
        `${this.address.of('/login/password')}#${token}`,
        ...(purpose === 'reset' ? [text('ignore')] : []),
      ].join('\n\n'),
    };
  }

  async ofChange(recipient: LinkRecipient, fallback: Language): Promise<MailMessage> {
    const language = await this.#languageOf(recipient.userId, fallback);
    const values = this.#values(recipient);
    return {
      to: recipient.email,
      userId: recipient.userId,
      subject: textIn(language, 'mail', 'changedSubject', values),
      text: [
        textIn(language, 'mail', 'changed', values),
        textIn(language, 'mail', 'tellAdministrator'),
      ].join('\n\n'),
    };
  }

  #values({ userId }: LinkRecipient): Readonly<Record<string, string>> {
    return { user: userId, host: this.address.root.replace(/^https?:\/\//, '') };
  }

  async #languageOf(userId: string, fallback: Language): Promise<Language> {
    const { pages } = await this.preferences.all(userId);
    return LANGUAGES.find((language) => language === pages.values['language']) ?? fallback;
  }
}

/** In whole days, or hours below one day. */
function durationIn(language: Language, seconds: number): string {
  const [unit, length] =
    seconds < DAY_SECONDS ? (['hour', HOUR_SECONDS] as const) : (['day', DAY_SECONDS] as const);
  return new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'long' }).format(
    Math.floor(seconds / length),
  );
}
