import type { Request } from 'express';

const LONGEST_NAME = 200;

/** The user agent in displayable form; empty without one. */
export function userAgentOf({ headers }: Pick<Request, 'headers'>): string {
  return displayable(headers['user-agent'] ?? '');
}

/** The user agent as a name of a program, for instance of its app password. */
export function clientNameOf(request: Pick<Request, 'headers'>): string {
  return nameOfUserAgent(request.headers['user-agent'] ?? '');
}

/** @param userAgent header as received */
export function nameOfUserAgent(userAgent: string): string {
  return displayable(userAgent) || 'Unnamed program';
}

/**
 * A lookup key of a program, which stays the same when the program or its system is updated: the words of
 * its name that have no digits.
 */
export function programOf(name: string): string {
  const [first = '', ...others] = name.toLowerCase().match(/[\p{L}\p{N}_.-]+/gu) ?? [];
  const words = [first.replace(/\p{N}/gu, ''), ...others.filter((word) => !/\p{N}/u.test(word))];
  return words.join(' ').trim();
}

function displayable(userAgent: string): string {
  return asUtf8(userAgent)
    .replace(/\p{Cc}/gu, '')
    .trim()
    .slice(0, LONGEST_NAME);
}

/** Headers arrive as Latin-1, but programs put UTF-8 into them. */
function asUtf8(header: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(header, 'latin1'));
  } catch {
    return header;
  }
}
