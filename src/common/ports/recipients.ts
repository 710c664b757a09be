/** A mail to the own address of a user. */
export interface MailToUser {
  readonly userId: string;
  readonly subject: string;
  /** Plain text in paragraphs; a line that is a web address alone becomes a link. */
  readonly text: string;
  /** The same for each attempt: 1 to 64 letters, digits, `-` and `_`. */
  readonly id: string;
  /** Ends further mails of the kind when it is posted to (RFC 8058). */
  readonly unsubscribeUrl?: string | undefined;
}

/** `refused`: another attempt would be refused, too. */
export type MailResult =
  | { readonly result: 'sent' }
  | { readonly result: 'later' | 'refused'; readonly error: string };

/** Port to how users are reached outside of the service; implemented by `platform/notifications`. */
export abstract class Recipients {
  /** The mail address of the sender of mails; null without a mail server. */
  abstract readonly mailSender: string | null;

  /** The confirmed mail address of a user; null without one. */
  abstract mailAddressOf(userId: string): Promise<string | null>;

  /** The code of the language that the user has chosen for the pages; empty if none. */
  abstract languageOf(userId: string): Promise<string>;

  /** Hands a mail to the mail server, now. */
  abstract mail(mail: MailToUser, signal?: AbortSignal): Promise<MailResult>;
}
