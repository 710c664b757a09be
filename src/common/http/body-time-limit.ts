import type { NextFunction, Request, RequestHandler, Response } from 'express';
import { maySendSlowly } from './raw-bodies.js';

/**
 * Ends connections on which a body trickles in for too long. One that may take the time it needs is
 * minded by whoever takes it; when it was answered before its end, nobody does, and it is limited
 * from then on.
 */
export function bodyTimeLimit(seconds: number): RequestHandler {
  return (request: Request, response: Response, next: NextFunction) => {
    if (maySendSlowly(request.method, request.path)) {
      response.once('finish', () => endBodyIn(seconds, request));
    } else {
      endBodyIn(seconds, request);
    }
    next();
  };
}

function endBodyIn(seconds: number, request: Request): void {
  const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
  if (request.complete || (length === undefined && encoding === undefined)) {
    return;
  }
  const timer = setTimeout(() => {
    if (!request.complete) {
      request.socket.destroy();
    }
  }, seconds * 1000);
  // A request that was answered before its end may never say that it is closed.
  timer.unref();
  request.once('close', () => clearTimeout(timer));
}
