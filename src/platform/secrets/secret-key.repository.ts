import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database.js';

/** Which secret key belongs to the database. */
@Injectable()
export class SecretKeyRepository {
  constructor(private readonly database: Database) {}

  /** @returns null before the first start */
  async fingerprint(): Promise<string | null> {
    const [row] = await this.database.query<{ fingerprint: string }>(
      'select fingerprint from secret_key',
    );
    return row?.fingerprint ?? null;
  }

  /** Of processes that start together, the first one counts. */
  async acceptFirst(fingerprint: string): Promise<void> {
    await this.database.query(
      'insert into secret_key (fingerprint) values ($1) on conflict do nothing',
      [fingerprint],
    );
  }

  async accept(fingerprint: string): Promise<void> {
    await this.database.query(
      `insert into secret_key (fingerprint) values ($1)
       on conflict (is_only) do update set fingerprint = excluded.fingerprint, accepted_at = now()`,
      [fingerprint],
    );
  }
}
