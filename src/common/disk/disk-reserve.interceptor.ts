import {
  Injectable,
  SetMetadata,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request } from 'express';
import type { Observable } from 'rxjs';
import { READS_BY_POST } from '../auth/in-scope.decorator.js';
import { READING_METHODS } from '../auth/reading-methods.js';
import { ACCESS_RULE } from '../http/current-user.decorator.js';
import { DiskSpace } from './disk-space.js';

const WORKS_ON_FULL_DISK = 'gatefold:works-on-full-disk';
const EXEMPTING_MARKS = [ACCESS_RULE, READS_BY_POST, WORKS_ON_FULL_DISK];

/**
 * Rejects requests with 507 while the disk is nearly full, on every route that may store something.
 * Exempt are reading methods, DELETE, `@Public()`, where anonymous rows are bounded, `@ReadsByPost()` and
 * `@WorksOnFullDisk()`.
 */
@Injectable()
export class DiskReserveInterceptor implements NestInterceptor {
  constructor(
    private readonly reflector: Reflector,
    private readonly disk: DiskSpace,
  ) {}

  /** @throws StorageFull before the body is read */
  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const { method } = context.switchToHttp().getRequest<Request>();
    const targets = [context.getHandler(), context.getClass()];
    const isExempt =
      method === 'DELETE' ||
      READING_METHODS.has(method) ||
      EXEMPTING_MARKS.some(
        (mark) => this.reflector.getAllAndOverride<unknown>(mark, targets) !== undefined,
      );
    if (!isExempt) {
      await this.disk.assertRoomFor(0);
    }
    return next.handle();
  }
}

/**
 * Accepts requests while the disk is nearly full: the route adds no lasting rows or files, removes some, or
 * ends a right.
 */
export const WorksOnFullDisk = (): ClassDecorator & MethodDecorator =>
  SetMetadata(WORKS_ON_FULL_DISK, true);
