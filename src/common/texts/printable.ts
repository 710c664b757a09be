/** Control characters but for line breaks and tabs, and those that change the direction of text. */
const UNPRINTABLE =
  // eslint-disable-next-line no-control-regex
  /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u200E\u200F\u202A-\u202E\u2066-\u2069]/g;

/** For terminals and logs: no escape sequence of somebody else's text reaches them. */
export function printable(text: string): string {
  return text.replaceAll('\r\n', '\n').replaceAll(UNPRINTABLE, '\uFFFD');
}
