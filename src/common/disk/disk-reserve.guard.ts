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

/** Rejects requests with 507 while the disk is nearly full; for routes that store content. */
export const NeedsDiskSpace = () => UseGuards(DiskReserveGuard);
