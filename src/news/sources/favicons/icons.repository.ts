import { Injectable } from '@nestjs/common';
import { Database } from '../../../database/database.js';
import type { FoundIcon } from './find-icon.js';
import { IconEntity } from './icon.entity.js';
import {
  ICON_BY_ADDRESS_HASH,
  SAVE_PLACE,
  SHOW_PLACE,
  type Icon,
  type LookedAt,
  type ShownIcon,
} from './icons.sql.js';

/** Icons of sources, looked up by the MD5 of the address of a reader's feed, and the places where they are. */
@Injectable()
export class IconsRepository {
  constructor(private readonly database: Database) {}

  async find(readerId: number, addressHash: string): Promise<ShownIcon | undefined> {
    return (await this.database.query<ShownIcon>(ICON_BY_ADDRESS_HASH, [readerId, addressHash]))[0];
  }

  /** @returns null for an unknown id */
  async byId(iconId: number): Promise<Icon | null> {
    return this.database.entities((em) =>
      em.findOne(
        IconEntity,
        { id: iconId },
        { fields: ['mime', 'bytes'], disableIdentityMap: true },
      ),
    );
  }

  async show(place: string, sourceId: number): Promise<LookedAt | undefined> {
    return (await this.database.query<LookedAt>(SHOW_PLACE, [place, sourceId]))[0];
  }

  async save(place: string, icon: FoundIcon | null): Promise<void> {
    const { mime, url, lifeSeconds } = icon ?? {};
    const bytes = icon && Buffer.from(icon.bytes);
    await this.database.query(SAVE_PLACE, [place, bytes, mime, url, lifeSeconds]);
  }
}
