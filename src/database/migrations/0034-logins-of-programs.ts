import { Migration } from '@mikro-orm/migrations';

/** App passwords that programs get for the account password, and keys of the Fever API. */
export class Migration0034LoginsOfPrograms extends Migration {
  override name = '0034-logins-of-programs';

  override up(): void {
    this.addSql(`
      alter table app_password
        -- A lookup key: the program that logged in with the account password.
        add column program text,
        -- Its token, sealed with the secret key.
        add column sealed_token bytea,
        -- SHA-256 of the Fever key, which is the MD5 of "user:token" in hexadecimal.
        add column fever_key_hash bytea,
        add constraint app_password_sealed_token_check
            check ((program is null) = (sealed_token is null))`);
    this.addSql(`
      create unique index app_password_program_unique on app_password (user_id, program)
       where program is not null`);
    this.addSql(`
      create unique index app_password_fever_key_hash_unique on app_password (fever_key_hash)
       where fever_key_hash is not null`);
  }
}
