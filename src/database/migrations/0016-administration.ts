import { Migration } from '@mikro-orm/migrations';

/** Indexes for the lists of administrators of large installations. */
export class Migration0016Administration extends Migration {
  override name = '0016-administration';

  override up(): void {
    this.addSql(String.raw`
      alter table source
        -- The address without user name, password and query, to search and order by: what the
        -- service shows of it (doctor/shown-address.ts).
        add column shown_address text generated always as (
          regexp_replace(
            regexp_replace(url, '^([^/?#]*//)[^/?#]*@', '\1'),
            '\?.+$', '?…'
          )
        ) stored;

      create index source_error_count_index on source (error_count desc, id);
      -- Cut off, since an index takes no long texts, and publishers write titles of any length.
      create index source_shown_name_index
        on source (lower(left(coalesce(nullif(title, ''), shown_address), 100)), id);

      create index security_event_kind_index on security_event (kind, id);
      create index security_event_user_id_begins_index
        on security_event (lower(user_id) text_pattern_ops, id);
      create index security_event_address_begins_index
        on security_event (lower(address) text_pattern_ops, id);
    `);
  }
}
