import type { NextFunction, Request, Response } from 'express';
import type { InputBodies } from './input-bodies.js';

/**
 * Middleware: counts large texts that are sent as a whole, JSON and pages, for their sender until they are read.
 * For a client that has gone, JSON is not even made.
 *
 * @see src/common/http/send-stream.ts for streams, which have at most a chunk in memory
 */
export function countAnswers(bodies: InputBodies) {
  return (request: Request, response: Response, next: NextFunction): void => {
    const send = response.send.bind(response);
    const json = response.json.bind(response);
    response.json = (body) => (response.closed ? response : json(body));
    response.send = (body) =>
      send(typeof body === 'string' ? bodies.countAnswer(request, body) : body);
    next();
  };
}
