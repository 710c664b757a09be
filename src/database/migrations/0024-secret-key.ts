import { Migration } from '@mikro-orm/migrations';

/** Fingerprint of the secret key. */
export class Migration0024SecretKey extends Migration {
  override name = '0024-secret-key';

  override up(): void {
    this.addSql(`
      create table secret_key (
        is_only boolean primary key default true check (is_only),
        -- Tells keys apart and does not give the key away.
        fingerprint text not null,
        accepted_at timestamptz not null default now()
      )`);
  }
}
