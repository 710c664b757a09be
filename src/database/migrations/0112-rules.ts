import { keyUnlessDistributed, RollingMigration } from './kinds.js';

/**
 * Rules of readers, what they did to items, and what is kept about an item. No foreign keys to items: deleting
 * items in bulk would look for each of them here.
 */
export class Migration0112Rules extends RollingMigration {
  override name = '0112-rules';
  readonly locks = { reader: 'exclusive' };

  override up(): void {
    this.addSql(`
      create table rule (
        reader_id bigint,
        id bigint,
        name text not null,
        enabled boolean not null default true,
        place integer not null,
        scope jsonb not null,
        query jsonb,
        query_text text not null,
        actions jsonb not null,
        stop_after boolean not null default false,
        has_clock boolean not null default false,
        tells boolean not null default false,
        until_seconds bigint,
        created_at timestamptz not null default now(),
        changed_micros bigint not null,
        problem text,
        told_from_seconds bigint not null default 0,
        clock_ran_at timestamptz not null default now(),
        primary key (reader_id, id)
      );
      create index rule_has_clock_index on rule (reader_id) where has_clock and enabled;

      create table rule_effect (
        reader_id bigint,
        item_id bigint,
        rule_id bigint,
        effect text,
        label_id bigint,
        id bigint generated always as identity,
        stamp_micros bigint not null,
        at timestamptz not null default now(),
        undone_at timestamptz,
        covered boolean not null default false,
        primary key (reader_id, item_id, rule_id, effect, label_id)
      );
      create index rule_effect_rule_id_id_index on rule_effect (reader_id, rule_id, id);
      create index rule_effect_at_index on rule_effect (at);

      create table item_mark (
        reader_id bigint,
        item_id bigint,
        hidden boolean not null default false,
        retained boolean not null default false,
        full_text boolean not null default false,
        untouched_micros bigint,
        primary key (reader_id, item_id)
      );
    `);
    for (const table of ['rule', 'rule_effect', 'item_mark']) {
      this.addSql(
        keyUnlessDistributed(
          table,
          'foreign key (reader_id) references reader (id) on delete cascade',
        ),
      );
    }
  }
}
