import { Catch, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { Request, Response } from 'express';
import { answerJsonError } from '../../common/errors/json-error.filter.js';
import { refuseRest } from '../../common/errors/refuse-rest.js';
import { FeverKeyWrong } from './fever.errors.js';
import { API_VERSION } from './fever.wire.js';

/** Answers a wrong key as clients expect it; other errors as the JSON routes do. */
@Catch()
export class FeverErrorFilter implements ExceptionFilter {
  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const [request, response] = [http.getRequest<Request>(), http.getResponse<Response>()];
    if (!(error instanceof FeverKeyWrong)) {
      answerJsonError(error, request, response);
      return;
    }
    refuseRest(request, response);
    response.status(200).json({ api_version: API_VERSION, auth: 0 });
  }
}
