import { Injectable } from '@nestjs/common';
import { Database } from '../../../database/database.js';
import { selectList, type RowOf } from '../../../database/select-list.js';
import { PushKeyEntity } from './notice.entities.js';

const KEY = selectList(PushKeyEntity, 'key', ['publicKey', 'sealed']);

export type PushKey = RowOf<typeof KEY>;

/** The keys of Web Push. */
@Injectable()
export class PushRepository {
  constructor(private readonly database: Database) {}

  async find(): Promise<PushKey | null> {
    const [key] = await this.database.query<PushKey>(`select ${KEY} from push_key key`);
    return key ?? null;
  }

  /** Keeps the present ones: processes that begin together agree on one pair. */
  async saveFirst({ publicKey, sealed }: PushKey): Promise<void> {
    await this.database.query(
      `insert into push_key (name, public_key, sealed) values ('vapid', $1, $2)
       on conflict do nothing`,
      [publicKey, sealed],
    );
  }

  async remove(): Promise<void> {
    await this.database.query('delete from push_key');
  }
}
