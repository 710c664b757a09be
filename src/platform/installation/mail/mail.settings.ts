import { z } from 'zod';
import { isPercentEncoded, settings } from '../../../common/config/settings.js';

const smtpUrl = z
  .url({
    protocol: /^smtps?$/,
    error: 'must be an address such as smtps://user:password@mail.example.org',
  })
  .refine((text) => {
    const { hostname = '', pathname = '', search = '', hash = '' } = URL.parse(text) ?? {};
    return hostname !== '' && /^\/?$/.test(pathname) && search === '' && hash === '';
  }, 'must have a host, and neither a path nor parameters')
  .refine((text) => isPercentEncoded(text), 'must have user and password percent-encoded');

const sender = z
  .string()
  .regex(
    /^(?:[^<>\r\n]{1,100} <[^\s<>@]+@[^\s<>@]+>|[^\s<>@]+@[^\s<>@]+)$/,
    'must be an address such as gatefold@example.org or Gatefold <gatefold@example.org>',
  );

/** The mail server. */
export class MailSettings extends settings('GATEFOLD_', {
  GATEFOLD_SMTP_URL: smtpUrl
    .describe(
      'Mail server, smtp:// (with STARTTLS) or smtps://, with user and password. Unset: no mail is sent',
    )
    .meta({ isSecret: true, needs: 'GATEFOLD_MAIL_FROM', turnsOn: 'mail' }),
  GATEFOLD_MAIL_FROM: sender
    .describe('Sender of mails, such as Gatefold <gatefold@example.org>')
    .meta({ needs: 'GATEFOLD_SMTP_URL' }),
}) {
  /** Undefined when no mail is sent. */
  get server() {
    const { smtpUrl: url, mailFrom: from } = this;
    if (url === undefined || from === undefined) {
      return undefined;
    }
    const { protocol, hostname, port, username, password } = new URL(url);
    /** TLS from the beginning; otherwise STARTTLS. */
    const usesTls = protocol === 'smtps:';
    return {
      host: hostname.replace(/^\[|\]$/g, ''),
      port: Number(port || (usesTls ? 465 : 587)),
      usesTls,
      /** Undefined for a server without login. */
      login:
        username === ''
          ? undefined
          : { user: decodeURIComponent(username), password: decodeURIComponent(password) },
      from,
    };
  }
}
