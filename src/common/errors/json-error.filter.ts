import { Catch, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { Request, Response } from 'express';
import { beginFailure } from './failure.js';

/**
 * Responds with `{"message": …}`, the only field that clients of the JSON routes read, and with `at` for a
 * text that cannot be read.
 */
@Catch()
export class JsonErrorFilter implements ExceptionFilter {
  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    answerJsonError(error, http.getRequest<Request>(), http.getResponse<Response>());
  }
}

export function answerJsonError(error: unknown, request: Request, response: Response): void {
  const failure = beginFailure(error, request, response);
  if (failure !== null) {
    response.status(failure.status).json({ message: failure.message, at: failure.at });
  }
}
