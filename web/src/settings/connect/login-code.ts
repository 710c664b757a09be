interface Credentials {
  readonly server: string;
  readonly userId: string;
  readonly password: string;
}

/**
 * The text of the QR code that Nextcloud's apps read. The iOS app takes user, password and server
 * by their position and decodes nothing; so nothing is escaped, as in Nextcloud. User ids and app
 * passwords of this service have no character that would need it.
 */
export function loginCode({ server, userId, password }: Credentials): string {
  return `nc://login/user:${userId}&password:${password}&server:${server}`;
}

/** The lines of newsboat's configuration. */
export function newsboatLines({ server, userId, password }: Credentials): string {
  return [
    'urls-source "ocnews"',
    `ocnews-url "${server}"`,
    `ocnews-login "${userId}"`,
    `ocnews-password "${password}"`,
    'ocnews-flag-star "s"',
  ].join('\n');
}
