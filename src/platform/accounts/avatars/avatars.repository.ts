import { Injectable } from '@nestjs/common';
import { Database } from '../../../database/database.js';
import { AvatarEntity } from './avatar.entity.js';
import { findAvatar, type StoredAvatar } from './avatars.sql.js';
import type { PictureType } from './picture-type.js';

/** Pictures that users have uploaded. Deleted with the account. */
@Injectable()
export class AvatarsRepository {
  constructor(private readonly database: Database) {}

  /** @param knownDigests pictures in the caller's cache, returned without their bytes */
  async find(userId: string, knownDigests: readonly string[]): Promise<StoredAvatar | null> {
    return (await findAvatar(this.database, userId, knownDigests)) ?? null;
  }

  async put(userId: string, mediaType: PictureType, digest: string, bytes: Buffer): Promise<void> {
    const avatar = { userId, mediaType, digest, bytes, changedAt: new Date() };
    await this.database.entities((em) =>
      em.upsert(AvatarEntity, avatar, { disableIdentityMap: true }),
    );
  }

  async remove(userId: string): Promise<void> {
    await this.database.entities((em) => em.nativeDelete(AvatarEntity, { userId }));
  }
}
