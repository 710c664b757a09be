import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database.js';
import type { FoundIcon } from './find-icon.js';
import { IconEntity } from './icon.entity.js';
import { iconByAddressHash, savePlace, showPlace, type Icon } from './icons.sql.js';

/** Icons of sources, looked up by the MD5 of the address of a reader's feed, and the places where they are. */
@Injectable()
export class IconsRepository {
  constructor(private readonly database: Database) {}

  async find(readerId: number, addressHash: string): ReturnType<typeof iconByAddressHash> {
    return iconByAddressHash(this.database, readerId, addressHash);
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

  async show(place: string, sourceId: number): ReturnType<typeof showPlace> {
    return showPlace(this.database, place, sourceId);
  }

  async save(place: string, icon: FoundIcon | null): Promise<void> {
    await savePlace(this.database, place, icon);
  }
}
