import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import { PageNotFound } from './pages.errors.js';

/** The feed reader's API lies below the address of its page. */
const API = /^\/apps\/news\/api(\/|$)/;

/**
 * What an API does not know is no page. Stands before the guard that sends strangers to the login
 * page, where a client without a browser has no business.
 */
@Injectable()
export class ApiAddressGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const { path } = context.switchToHttp().getRequest<Request>();
    if (API.test(path)) {
      throw new PageNotFound(path);
    }
    return true;
  }
}
