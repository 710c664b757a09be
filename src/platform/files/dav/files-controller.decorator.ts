import {
  applyDecorators,
  Controller,
  createParamDecorator,
  UseFilters,
  UseGuards,
  type ExecutionContext,
} from '@nestjs/common';
import { BasicAuthGuard } from '../../../common/auth/basic-auth.guard.js';
import { InScope } from '../../../common/auth/in-scope.decorator.js';
import type { IdentifiedRequest } from '../../../common/http/current-user.decorator.js';
import type { Account } from '../../../common/ports/user-directory.js';
import { FileNotFound } from '../files.errors.js';
import { DavErrorFilter } from './dav-error.filter.js';

/** Both mounts of a user's files. */
export const MOUNTS = ['remote.php/dav/files/:userId', 'remote.php/webdav'];

/** The mount and every path below it. */
export const EVERY_PATH = ['', '*path'];

/** A controller of users' files, which answers errors as clients of WebDAV read them. */
export function FilesController(path: string | string[]): ClassDecorator {
  return applyDecorators(
    Controller(path),
    UseFilters(DavErrorFilter),
    InScope('files'),
    UseGuards(BasicAuthGuard),
  );
}

/** A request below an address that names its user. */
export interface OwnRequest {
  readonly http: IdentifiedRequest;
  readonly account: Account;
}

/** Injects the `OwnRequest`. @throws FileNotFound at the address of another user */
export const Own = createParamDecorator((_: unknown, context: ExecutionContext) => {
  const http = context.switchToHttp().getRequest<IdentifiedRequest>();
  const { account, params } = http;
  if (account === undefined || account.userId !== params['userId']) {
    throw new FileNotFound(String(params['userId']));
  }
  return { http, account } satisfies OwnRequest;
});
