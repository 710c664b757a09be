import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import { AppsOrigin } from '../../common/config/apps-origin.js';
import { PageNotFound } from './pages.errors.js';

/** Answers 404 unless the request came to the origin of the app in its path. */
@Injectable()
export class AppsOriginGuard implements CanActivate {
  constructor(private readonly appsOrigin: AppsOrigin) {}

  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<Request<{ readonly appId: string }>>();
    if (!this.appsOrigin.servesApp(request, request.params.appId)) {
      throw new PageNotFound(request.path);
    }
    return true;
  }
}
