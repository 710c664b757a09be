import type { IncomingHttpHeaders } from 'node:http';
import { clamped, numberOfDigits } from '../../../common/http/loose-inputs.js';

/** How long a response stays fresh. */
export interface CachingHeaders {
  /** `max-age` minus `Age`; null when not given. */
  readonly maxAgeSeconds: number | null;
  /** Unix seconds by our clock; null when not given, invalid, or in the past. */
  readonly expiresAtSeconds: number | null;
  readonly noStore: boolean;
  readonly noCache: boolean;
}

const MAX_RETRY_AFTER_SECONDS = 7 * 24 * 3600;

/**
 * Reads `Cache-Control`, `Expires` and `Age`. `Expires` is relative to the server's own `Date`, so that
 * its clock does not matter.
 */
export function readCachingHeaders(
  headers: IncomingHttpHeaders,
  nowSeconds: number,
): CachingHeaders {
  const directives = (headers['cache-control'] ?? '')
    .toLowerCase()
    .split(',')
    .map((directive) => directive.trim());
  const maxAge = directives
    .map((directive) => /^max-age\s*=\s*"?(\d+)"?$/.exec(directive)?.[1])
    .find((seconds) => seconds !== undefined);
  const ageSeconds = numberOfDigits(headers.age) ?? 0;
  return {
    maxAgeSeconds: maxAge === undefined ? null : Math.max(0, clamped(Number(maxAge)) - ageSeconds),
    expiresAtSeconds: expiresAtSeconds(headers, nowSeconds),
    noStore: directives.includes('no-store'),
    noCache: directives.includes('no-cache'),
  };
}

/**
 * Reads `Retry-After`: seconds or a date.
 *
 * @returns seconds from now, at most 7 days; null when not given or invalid
 */
export function readRetryAfter(headers: IncomingHttpHeaders, nowSeconds: number): number | null {
  const value = headers['retry-after']?.trim();
  const waitSeconds = numberOfDigits(value) ?? secondsUntil(value, nowSeconds);
  if (waitSeconds === null) {
    return null;
  }
  return Math.min(Math.max(0, waitSeconds), MAX_RETRY_AFTER_SECONDS);
}

function expiresAtSeconds(headers: IncomingHttpHeaders, nowSeconds: number): number | null {
  const serverNowSeconds = dateSeconds(headers.date) ?? nowSeconds;
  const freshForSeconds = secondsUntil(headers.expires, serverNowSeconds);
  return freshForSeconds === null || freshForSeconds <= 0 ? null : nowSeconds + freshForSeconds;
}

function secondsUntil(date: string | undefined, nowSeconds: number): number | null {
  const seconds = dateSeconds(date);
  return seconds === null ? null : seconds - nowSeconds;
}

function dateSeconds(text: string | undefined): number | null {
  // The three formats of HTTP begin with the name of a day; Date.parse accepts many others.
  if (text === undefined || !/^[a-z]{3,9},? /i.test(text)) {
    return null;
  }
  const milliseconds = Date.parse(text);
  return Number.isNaN(milliseconds) ? null : Math.floor(milliseconds / 1000);
}
