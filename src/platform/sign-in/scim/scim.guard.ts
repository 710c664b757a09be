import {
  Injectable,
  NotFoundException,
  type CanActivate,
  type ExecutionContext,
  Catch,
  type ArgumentsHost,
  type ExceptionFilter,
} from '@nestjs/common';
import type { Response, Request } from 'express';
import { createHash, timingSafeEqual } from 'node:crypto';
import { CredentialsRequired } from '../../../common/auth/auth.errors.js';
import type { IdentifiedRequest } from '../../../common/http/current-user.decorator.js';
import { Config } from '../../../common/config/config.js';
import { InvalidInput } from '../../../common/errors/domain-error.js';
import { beginFailure } from '../../../common/errors/failure.js';
import { ScimRefusal, type ScimType } from './scim.errors.js';
import { SCIM_MEDIA_TYPE } from './scim.wire.js';

/** Admits the provisioning service with the token of `GATEFOLD_SCIM_TOKEN`. */
@Injectable()
export class ScimGuard implements CanActivate {
  constructor(private readonly config: Config) {}

  canActivate(context: ExecutionContext): boolean {
    const { scimToken } = this.config;
    if (scimToken === undefined) {
      throw new NotFoundException('SCIM is not set up here.');
    }
    const request = context.switchToHttp().getRequest<IdentifiedRequest>();
    if (!isSame(request.headers.authorization ?? '', `Bearer ${scimToken}`)) {
      const response = context.switchToHttp().getResponse<Response>();
      response.setHeader('WWW-Authenticate', 'Bearer realm="Gatefold SCIM"');
      throw new CredentialsRequired();
    }
    request.service = 'scim';
    return true;
  }
}

/** In a time that does not depend on what is the same. */
function isSame(given: string, expected: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(expected));
}

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
