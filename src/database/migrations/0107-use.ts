import { RollingMigration } from './kinds.js';

/** What processes, accounts and feeds used within the last day, for administrators. */
export class Migration0107Use extends RollingMigration {
  override name = '0107-use';
  override readonly locks = { fetch_attempt: 'access exclusive' };

  override up(): void {
    this.addSql(`
      create table process_sample (
        -- Begin of five minutes.
        at timestamptz,
        process text,
        sample jsonb not null,
        -- Lists of user id, requests, milliseconds on the database and bytes.
        accounts jsonb not null,
        primary key (at, process)
      );
      -- Processor time of reading the document, and time of storing it; null without a document.
      alter table fetch_attempt add column work_ms int`);
  }
}
