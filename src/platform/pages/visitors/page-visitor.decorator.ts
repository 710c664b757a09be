import { createParamDecorator, InternalServerErrorException } from '@nestjs/common';
import type { Session } from '../../../common/ports/sessions.js';
import type { VisitedRequest } from './page-visitor.guard.js';

/** The session that `PageVisitorGuard` found. */
export const PageVisitor = createParamDecorator((_data, context): Session => {
  const { pageSession } = context.switchToHttp().getRequest<VisitedRequest>();
  if (pageSession === undefined) {
    throw new InternalServerErrorException('a page without PageVisitorGuard');
  }
  return pageSession;
});
