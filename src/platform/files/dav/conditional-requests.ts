import type { Request, Response } from 'express';
import type { BytePart } from '../stores/content-store.js';

/**
 * Whether `If-Match` and `If-Unmodified-Since` allow the answer, by its `ETag` and `Last-Modified`.
 *
 * @see RFC 9110, 13.2.2
 */
export function preconditionHolds(request: Request, response: Response): boolean {
  const match = request.get('if-match');
  if (match !== undefined) {
    const etag = String(response.get('ETag'));
    return match.trim() === '*' || match.split(',').some((one) => weak(one.trim()) === weak(etag));
  }
  const unmodifiedSince = Date.parse(request.get('if-unmodified-since') ?? '');
  return Number.isNaN(unmodifiedSince) || lastModifiedOf(response) <= unmodifiedSince;
}

/**
 * The bytes that are asked for.
 *
 * @returns undefined for all of them: also for several ranges, other units, and if `If-Range` names
 *   another version
 */
export function partOf(
  request: Request,
  response: Response,
  sizeBytes: number,
): BytePart | 'outside' | undefined {
  if (!isRangeFresh(request, response)) {
    return undefined;
  }
  const ranges = request.range(sizeBytes, { combine: true });
  if (ranges === -1) {
    return 'outside';
  }
  if (ranges === undefined || ranges === -2 || ranges.type !== 'bytes' || ranges.length !== 1) {
    return undefined;
  }
  return ranges[0];
}

function isRangeFresh(request: Request, response: Response): boolean {
  const condition = request.get('if-range');
  if (condition === undefined) {
    return true;
  }
  if (condition.includes('"')) {
    return condition.trim() === response.get('ETag');
  }
  return lastModifiedOf(response) <= Date.parse(condition);
}

function lastModifiedOf(response: Response): number {
  return Date.parse(response.get('Last-Modified') ?? '');
}

function weak(etag: string): string {
  return etag.replace(/^W\//, '');
}
