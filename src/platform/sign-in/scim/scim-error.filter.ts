import { Catch, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { Request, Response } from 'express';
import { InvalidInput } from '../../../common/errors/domain-error.js';
import { beginFailure } from '../../../common/errors/failure.js';
import { ScimRefusal, type ScimType } from './scim.errors.js';
import { SCIM_MEDIA_TYPE } from './scim.wire.js';

/** Responds with an error of RFC 7644 section 3.12. */
@Catch()
export class ScimErrorFilter implements ExceptionFilter {
  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const response = http.getResponse<Response>();
    const failure = beginFailure(error, http.getRequest<Request>(), response);
    if (failure === null) {
      return;
    }
    // SCIM knows no 422.
    const status = failure.status === 422 ? 400 : failure.status;
    const scimType = typeOf(error, status);
    const body = {
      schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
      status: String(status),
      ...(scimType !== undefined && { scimType }),
      detail: failure.message,
    };
    response.status(status).type(SCIM_MEDIA_TYPE).send(JSON.stringify(body));
  }
}

function typeOf(error: unknown, status: number): ScimType | undefined {
  if (error instanceof ScimRefusal) {
    return error.scimType;
  }
  return error instanceof InvalidInput || status === 400 ? 'invalidValue' : undefined;
}
