import {
  Injectable,
  NotFoundException,
  type CanActivate,
  type ExecutionContext,
} from '@nestjs/common';
import type { Response } from 'express';
import { createHash, timingSafeEqual } from 'node:crypto';
import { CredentialsRequired } from '../../../common/auth/auth.errors.js';
import type { IdentifiedRequest } from '../../../common/http/current-user.decorator.js';
import { Config } from '../../../common/config/config.js';

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
