/** Control characters but for line breaks and tabs, and those that reverse the text that follows. */
const UNPRINTABLE = /(?![\n\t])[\p{Cc}\u202A-\u202E\u2066-\u2069]/gu;

/** For terminals and logs: no escape sequence in a text of an app or a user reaches them. */
export function printable(text: string): string {
  return text.replaceAll('\r\n', '\n').replaceAll(UNPRINTABLE, '\uFFFD');
}
