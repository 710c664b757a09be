import { Migration } from '@mikro-orm/migrations';

/** Warnings about partially read feed documents. */
export class Migration0019PartialDocuments extends Migration {
  override name = '0019-partial-documents';

  override up(): void {
    this.addSql(`
      -- What was damaged or left out in the last document that was read. Null: it was read whole.
      alter table source add column warning text;
    `);
  }
}
