import {
  All,
  applyDecorators,
  HttpCode,
  Injectable,
  MethodNotAllowedException,
  UseGuards,
  type CanActivate,
  type ExecutionContext,
} from '@nestjs/common';
import type { Request, Response } from 'express';
import { route } from '../../common/contracts/routes.js';

/**
 * A route that changes something and may be called with PUT or POST. The API's two levels differ
 * in the verb only, and clients use either at both.
 */
export const PutOrPost = route((path) =>
  applyDecorators(All(path), HttpCode(200), UseGuards(PutOrPostGuard)),
);

@Injectable()
class PutOrPostGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const { method, path } = context.switchToHttp().getRequest<Request>();
    if (method === 'PUT' || method === 'POST') {
      return true;
    }
    context.switchToHttp().getResponse<Response>().setHeader('Allow', 'PUT, POST');
    throw new MethodNotAllowedException(`${path} is called with PUT or POST, not with ${method}.`);
  }
}
