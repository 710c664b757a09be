import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import { PageNotFound } from './pages.errors.js';

/** The feed reader's API is below the path of its page. */
const API = /^\/apps\/news\/api(\/|$)/;

/**
 * Answers 404 for unknown API routes. Use before `PageVisitorGuard`, which would redirect API
 * clients to the login page.
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
