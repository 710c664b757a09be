import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { IdentifiedRequest } from '../../../common/http/current-user.decorator.js';
import type { Account } from '../../../common/ports/user-directory.js';
import { FileNotFound } from '../files.errors.js';

/** A request for the caller's own trash. */
export interface TrashRequest {
  readonly http: IdentifiedRequest;
  readonly account: Account;
}

/** Injects the `TrashRequest`. @throws FileNotFound for the trash of another user */
export const OwnTrash = createParamDecorator((_: unknown, context: ExecutionContext) => {
  const http = context.switchToHttp().getRequest<IdentifiedRequest>();
  const { account, params } = http;
  if (account === undefined || account.userId !== params['userId']) {
    throw new FileNotFound(String(params['userId']));
  }
  return { http, account } satisfies TrashRequest;
});
