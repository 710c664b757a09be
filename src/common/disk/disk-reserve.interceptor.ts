import {
  Injectable,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request } from 'express';
import type { Observable } from 'rxjs';
import { READS_BY_POST } from '../auth/in-scope.decorator.js';
import { READING_METHODS } from '../auth/reading-methods.js';
import { DiskSpace } from './disk-space.js';
import { WORKS_ON_FULL_DISK } from './works-on-full-disk.decorator.js';

/**
 * Rejects requests with 507 while the disk is nearly full, on every route that may store something.
 * Exempt are reading methods, DELETE, `@ReadsByPost()` and `@WorksOnFullDisk()`.
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
      [READS_BY_POST, WORKS_ON_FULL_DISK].some((mark) =>
        this.reflector.getAllAndOverride<true | undefined>(mark, targets),
      );
    if (!isExempt) {
      await this.disk.assertRoomFor(0);
    }
    return next.handle();
  }
}
