import { raw, type RawQueryFragment } from '@mikro-orm/core';
import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database.js';
import { SourceEntity } from '../sources/source.entity.js';
import type { FoundIcon } from './find-icon.js';
import { IconEntity } from './icon.entity.js';
import { iconByAddressHash, saveSourceIcon, sourceByAddressHash, type Icon } from './icons.sql.js';

/** Icons of sources, looked up by the MD5 of the address of a reader's feed. */
@Injectable()
export class IconsRepository {
  constructor(private readonly database: Database) {}

  /** @returns the source of that feed, or null */
  async sourceOf(readerId: number, addressHash: string): Promise<number | null> {
    return sourceByAddressHash(this.database, readerId, addressHash);
  }

  async find(readerId: number, addressHash: string): Promise<Icon | null> {
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

  /** Records the result of a search. After one without result the source keeps its former icon. */
  async save(sourceId: number, icon: FoundIcon | null): Promise<void> {
    if (icon !== null) {
      await saveSourceIcon(this.database, sourceId, icon);
      return;
    }
    await this.database.entities((em) =>
      em.nativeUpdate(
        SourceEntity,
        { id: sourceId },
        { iconCheckedAt: raw<RawQueryFragment>('now()') },
      ),
    );
  }
}
