import { Injectable, UseGuards, type CanActivate } from '@nestjs/common';
import { DiskSpace } from './disk-space.js';

/** @throws StorageFull before the body is read */
@Injectable()
export class DiskReserveGuard implements CanActivate {
  constructor(private readonly disk: DiskSpace) {}

  async canActivate(): Promise<boolean> {
    await this.disk.assertRoomFor(0);
    return true;
  }
}

/** Refuses a route that stores content with 507 while the disk is nearly full. */
export const NeedsDiskSpace = () => UseGuards(DiskReserveGuard);
