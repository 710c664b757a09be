import { applyDecorators, Controller, UseFilters, UseGuards } from '@nestjs/common';
import { BasicAuthGuard } from '../../../common/auth/basic-auth.guard.js';
import { InScope } from '../../../common/auth/in-scope.decorator.js';
import { DavErrorFilter } from './dav-error.filter.js';

/** The mount and every path below it. */
export const EVERY_PATH = ['', '*path'];

/** A controller below both mounts of a user's files. */
export function DavController(): ClassDecorator {
  return applyDecorators(
    Controller(['remote.php/dav/files/:userId', 'remote.php/webdav']),
    UseFilters(DavErrorFilter),
    InScope('files'),
    UseGuards(BasicAuthGuard),
  );
}
