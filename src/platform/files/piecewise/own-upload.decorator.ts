import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { IdentifiedRequest } from '../../../common/http/current-user.decorator.js';
import { FileNotFound } from '../files.errors.js';

/** The address of an upload in pieces. */
export interface UploadAddress {
  readonly userId: string;
  /** Name chosen by the client. */
  readonly upload: string;
}

/** Injects the `UploadAddress`. @throws FileNotFound for another user's uploads */
export const OwnUpload = createParamDecorator((_: unknown, context: ExecutionContext) => {
  const { account, params } = context.switchToHttp().getRequest<IdentifiedRequest>();
  const [userId, upload] = [String(params['userId']), String(params['upload'])];
  if (account?.userId !== userId) {
    throw new FileNotFound(upload);
  }
  return { userId, upload } satisfies UploadAddress;
});
