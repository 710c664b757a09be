import { BadRequestException } from '@nestjs/common';
import express, { type RequestHandler } from 'express';

/**
 * Reads JSON bodies into `request.body`. A body of `null` counts as none, like a parameter that is
 * null; other bare values are refused.
 *
 * @param limit largest body, such as `10mb`
 */
export function jsonBody(limit: string): RequestHandler {
  const parse = express.json({ limit, type: ['json', '+json'], strict: false });
  return (request, response, next) =>
    parse(request, response, (error?: unknown) => {
      if (error !== undefined) {
        next(error);
        return;
      }
      const body: unknown = request.body;
      if (body === null) {
        request.body = undefined;
      } else if (body !== undefined && typeof body !== 'object') {
        next(new BadRequestException('The request body must be a JSON object or list.'));
        return;
      }
      next();
    });
}
