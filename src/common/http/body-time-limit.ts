import type { NextFunction, Request, RequestHandler, Response } from 'express';
import type { EdgeRules } from '../config/edge-rules.js';
import { senderOf } from './sender.js';

interface BodySeconds {
  /** Limit before authentication. */
  readonly anonymous: number;
  /** Limit for users and external apps. */
  readonly known: number;
}

/**
 * Closes connections on which a body takes too long. Routes with `slowBody` have their own limits;
 * if such a route responds before the end of the body, the limit applies from then on.
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
  timer.unref();
  const { socket } = request;
  const end = () => {
    clearTimeout(timer);
    socket.off('close', end);
  };
  // A request that was answered early, or whose client has gone, may emit no `close`; its connection does.
  request.once('close', end);
  socket.once('close', end);
}
