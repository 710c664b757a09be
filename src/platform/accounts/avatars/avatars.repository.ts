import { Injectable } from '@nestjs/common';
import { Database } from '../../../database/database.js';
import { entityOf, p } from '../../../database/entity-of.js';
import { selectList, type RowOf } from '../../../database/select-list.js';
import type { PictureType } from './picture-type.js';

/** A picture that a user has uploaded. */
export class AvatarEntity extends entityOf('avatar', {
  userId: p.text().primary(),
  mediaType: p.text().$type<PictureType>(),
  bytes: p.blob().$type<Buffer>(),
  /** SHA-256 of the bytes, in hexadecimal digits. */
  digest: p.text(),
  changedAt: p.datetime().defaultRaw('now()'),
}) {}

const ROW = selectList(AvatarEntity, 'a', ['mediaType', 'digest']);

/** A picture; `bytes` is null when the caller has it in its cache. */
type StoredAvatar = RowOf<typeof ROW> & { readonly bytes: Buffer | null };

/** Pictures that users have uploaded. Deleted with the account. */
@Injectable()
export class AvatarsRepository {
  constructor(private readonly database: Database) {}

  /** @param knownDigests pictures in the caller's cache, returned without their bytes */
  async find(userId: string, knownDigests: readonly string[]): Promise<StoredAvatar | null> {
    const [row] = await this.database.query<StoredAvatar>(
      `select ${ROW}, case when a.digest = any($2) then null else a.bytes end as bytes
         from avatar a where a.user_id = $1`,
      [userId, knownDigests],
    );
    return row ?? null;
  }

  async put(userId: string, mediaType: PictureType, digest: string, bytes: Buffer): Promise<void> {
    const avatar = { userId, mediaType, digest, bytes, changedAt: new Date() };
    await this.database.entities((em) => em.upsert(AvatarEntity, avatar));
  }

  async remove(userId: string): Promise<void> {
    await this.database.entities((em) => em.nativeDelete(AvatarEntity, { userId }));
  }
}
