import { Catch, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { Request, Response } from 'express';
import { beginFailure } from './failure.js';

/** Answers every error as `{"message": …}`: all that the clients of the JSON routes look at. */
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
    response.status(failure.status).json({ message: failure.message });
  }
}
