import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { IdentifiedRequest } from '../../common/auth/current-user.decorator.js';
import { FileNotFound } from '../files.errors.js';

/** An upload in pieces, as its address names it. */
export interface UploadAddress {
  readonly userId: string;
  /** As the client calls it. */
  readonly upload: string;
}

/**
 * The upload that a request is about.
 *
 * @throws FileNotFound for those of somebody else, be there such a user or not
 */
export const OwnUpload = createParamDecorator((_: unknown, context: ExecutionContext) => {
  const { account, params } = context.switchToHttp().getRequest<IdentifiedRequest>();
  const [userId, upload] = [String(params['userId']), String(params['upload'])];
  if (account?.userId !== userId) {
    throw new FileNotFound(upload);
  }
  return { userId, upload } satisfies UploadAddress;
});
