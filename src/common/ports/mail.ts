export interface MailMessage {
  /** Address of one recipient. */
  readonly to: string;
  readonly subject: string;
  /** Plain text in paragraphs; a line that is a web address alone becomes a link. */
  readonly text: string;
  /** Account of the recipient: a mail that waits is dropped with the account. */
  readonly userId?: string | undefined;
}

/** Port to the mail server of the installation; implemented by `platform/mail`. */
export abstract class Mail {
  /** Whether a mail server is configured; without one, features that need mail are not offered. */
  abstract readonly isConfigured: boolean;

  /**
   * Resolves once the mail is stored for sending; it is sent in the background, with retries.
   *
   * @throws Error without a mail server
   */
  abstract send(message: MailMessage): Promise<void>;
}
