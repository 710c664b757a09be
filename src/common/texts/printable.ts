/** Control characters except line breaks and tabs, and bidirectional overrides. */
const UNPRINTABLE = /(?![\n\t])[\p{Cc}\u202A-\u202E\u2066-\u2069]/gu;

/** Makes a text of an app or a user safe for terminals and logs: no escape sequences. */
export function printable(text: string): string {
  return text.replaceAll('\r\n', '\n').replaceAll(UNPRINTABLE, '\uFFFD');
}
