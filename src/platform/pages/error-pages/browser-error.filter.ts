import { Catch, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { Request, Response } from 'express';
import { beginFailure } from '../../../common/errors/failure.js';
import { PublicAddress } from '../../../common/config/public-address.js';
import { answerEdgeError } from '../../../common/ocs/answer-edge-error.js';
import { sendPage } from '../../sign-in/forms/page.js';
import { errorPage } from './error.page.js';

/** Addresses of programs, some of which accept HTML first without showing it. */
const OF_PROGRAMS =
  /^\/(?:ocs|remote\.php|status\.php|exapps|apps\/[^/]+\/api|apps\/app_api\/(?:proxy|framed|enter)|api\/(?:greader|fever)\.php|reader\/(?:api|atom|icons)|accounts|fever(?:\.php)?|scim|health|login\/v2\/poll)(?:\/|$)/i;

/** The application's outermost filter: answers browsers with a page, and programs as their dialect has it. */
@Catch()
export class BrowserErrorFilter implements ExceptionFilter {
  constructor(private readonly address: PublicAddress) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const request = host.switchToHttp().getRequest<Request>();
    const response = host.switchToHttp().getResponse<Response>();
    if (!isVisit(request)) {
      answerEdgeError(error, request, response);
      return;
    }
    const failure = beginFailure(error, request, response);
    if (failure !== null) {
      sendPage(response, failure.status, errorPage(request, failure, this.address));
    }
  }
}

/** Whether a browser opens a page, or sends a form of the login. */
function isVisit(request: Request): boolean {
  const isForm = request.method === 'POST' && /^\/login(?!\/v2\/?$)(?:\/|$)/.test(request.path);
  return (
    (request.method === 'GET' || isForm) &&
    !OF_PROGRAMS.test(request.path) &&
    request.accepts('json', 'html') === 'html'
  );
}
