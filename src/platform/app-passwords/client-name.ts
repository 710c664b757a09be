import type { Request } from 'express';

const LONGEST_NAME = 200;

/** The user agent in displayable form; empty without one. */
export function userAgentOf({ headers }: Pick<Request, 'headers'>): string {
  return asUtf8(headers['user-agent'] ?? '')
    .replace(/\p{Cc}/gu, '')
    .trim()
    .slice(0, LONGEST_NAME);
}

/** The user agent as a name of an app password. */
export function clientNameOf(request: Pick<Request, 'headers'>): string {
  return userAgentOf(request) || 'Unnamed program';
}

/** Headers arrive as Latin-1, but programs put UTF-8 into them. */
function asUtf8(header: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(header, 'latin1'));
  } catch {
    return header;
  }
}
