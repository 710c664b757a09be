const LONGEST_EMAIL = 254;

/** A rough check: whether mails arrive is up to the mail server. */
export function isEmail(text: string): boolean {
  return text.length <= LONGEST_EMAIL && /^[^\s\p{Cc}@]+@[^\s\p{Cc}@]+$/u.test(text);
}
