import { applyDecorators, Controller, UseFilters, UseGuards } from '@nestjs/common';
import { BasicAuthGuard } from '../../common/auth/basic-auth.guard.js';
import { DavErrorFilter } from './dav-error.filter.js';

/** The mount itself and every place below it. */
export const EVERY_PLACE = ['', '*path'];

/** A controller of the files at both of their addresses, for their owner alone. */
export function DavController(): ClassDecorator {
  return applyDecorators(
    Controller(['remote.php/dav/files/:userId', 'remote.php/webdav']),
    UseFilters(DavErrorFilter),
    UseGuards(BasicAuthGuard),
  );
}
