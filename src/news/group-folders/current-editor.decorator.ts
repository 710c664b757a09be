import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { IdentifiedRequest } from '../../common/http/current-user.decorator.js';

/** Injects the caller as an `Editor`, who may be one of the folder in question or not. */
export const CurrentEditor = createParamDecorator((_data: unknown, context: ExecutionContext) => {
  const { account, credential } = context.switchToHttp().getRequest<IdentifiedRequest>();
  return { account, credential };
});
