import type { NextFunction, Request, RequestHandler, Response } from 'express';
import { senderOf } from '../auth/sender.js';
import type { EdgeRules } from './edge-rules.js';

interface BodySeconds {
  /** While it is not known who sends it. */
  readonly anonymous: number;
  /** For a user or an external app. */
  readonly known: number;
}

/**
 * Ends connections on which a body trickles in for too long. One that may take the time it needs is
 * minded by whoever takes it; when it was answered before its end, nobody does, and it is limited
 * from then on.
 */
export function bodyTimeLimit(seconds: BodySeconds, rules: EdgeRules): RequestHandler {
  return (request: Request, response: Response, next: NextFunction) => {
    if (rules.maySendSlowly(request.method, request.path)) {
      response.once('finish', () => endBodyIn(seconds, request));
    } else {
      endBodyIn(seconds, request);
    }
    next();
  };
}

function endBodyIn({ anonymous, known }: BodySeconds, request: Request): void {
  const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
  if (request.complete || (length === undefined && encoding === undefined)) {
    return;
  }
  const destroy = () => {
    if (!request.complete) {
      request.socket.destroy();
    }
  };
  let timer = setTimeout(() => {
    if (!senderOf(request).known) {
      destroy();
      return;
    }
    timer = setTimeout(destroy, (known - anonymous) * 1000);
    timer.unref();
  }, anonymous * 1000);
  // A request that was answered before its end may never say that it is closed.
  timer.unref();
  request.once('close', () => clearTimeout(timer));
}
