import { SetMetadata } from '@nestjs/common';

export const WORKS_ON_FULL_DISK = 'gatefold:works-on-full-disk';

/**
 * Accepts requests while the disk is nearly full, whatever their method: the route adds no lasting
 * rows or files, removes some, or ends a right. See `DiskReserveInterceptor`.
 */
export const WorksOnFullDisk = (): ClassDecorator & MethodDecorator =>
  SetMetadata<string, true>(WORKS_ON_FULL_DISK, true);
