import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database.js';
import type { PictureType } from './picture-type.js';

export interface StoredAvatar {
  readonly mediaType: PictureType;
  /** SHA-256 of the bytes, in hexadecimal digits. */
  readonly digest: string;
  /** Null when whoever asks has them already. */
  readonly bytes: Buffer | null;
}

/** Pictures that users have chosen for themselves. They go with the account. */
@Injectable()
export class AvatarsRepository {
  constructor(private readonly database: Database) {}

  /** @param knownDigests pictures that need not be read again */
  async find(userId: string, knownDigests: readonly string[]): Promise<StoredAvatar | null> {
    const [row] = await this.database.query<StoredAvatar>(
      `select media_type as "mediaType", digest,
         case when digest = any($2) then null else bytes end as bytes
       from avatar where user_id = $1`,
      [userId, knownDigests],
    );
    return row ?? null;
  }

  async put(userId: string, mediaType: PictureType, digest: string, bytes: Buffer): Promise<void> {
    await this.database.query(
      `insert into avatar (user_id, media_type, digest, bytes) values ($1, $2, $3, $4)
       on conflict (user_id) do update set media_type = excluded.media_type,
         digest = excluded.digest, bytes = excluded.bytes, changed_at = now()`,
      [userId, mediaType, digest, bytes],
    );
  }

  async remove(userId: string): Promise<void> {
    await this.database.query('delete from avatar where user_id = $1', [userId]);
  }
}
