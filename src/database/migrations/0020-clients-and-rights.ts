import { Migration } from '@mikro-orm/migrations';

/** When due dates were set, sync times of clients, and rights of credentials. */
export class Migration0020ClientsAndRights extends Migration {
  override name = '0020-clients-and-rights';

  override up(): void {
    this.addSql(`
      -- The database's time when due_at and not_before were set. One in the future was set while the
      -- clock was ahead, and the date beside it is as much too late.
      alter table source_schedule add column set_at timestamptz not null default now();
      alter table host_state add column not_before_set_at timestamptz not null default now();

      -- The programs of a user, and the stamp of the newest change that each knows.
      create table reader_client (
        reader_id bigint not null references reader (id) on delete cascade,
        client text not null,
        synchronised_micros bigint not null,
        seen_at timestamptz not null default now(),
        primary key (reader_id, client)
      );
      create index reader_client_seen_at_index on reader_client (seen_at);

      -- Sealed under the installation's key. The plain one is null from then on; rows of older
      -- versions are sealed by the first process that starts.
      alter table websub_lease add column secret_sealed bytea;
      alter table websub_lease alter column secret drop not null;

      -- Whether an administrator made it for administration.
      alter table app_password add column may_administer boolean not null default false;

      -- Who did it, and with what kind of credential; null where nobody had logged in.
      alter table security_event
        add column actor_id text,
        add column credential text;
      create index security_event_actor_id_index on security_event (actor_id);
    `);
  }
}
