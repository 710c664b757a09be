import { Migration } from '@mikro-orm/migrations';

/** What users and apps have used of allowances with a period, for all processes. */
export class Migration0059UsedAllowances extends Migration {
  override name = '0059-used-allowances';

  override up(): void {
    this.addSql(`
      create table used_allowance (
        owner text collate "C" not null,
        kind text collate "C" not null,
        ends_at timestamptz not null,
        used integer not null,
        granted integer not null,
        primary key (owner, kind)
      );
    `);
  }
}
