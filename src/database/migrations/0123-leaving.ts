import { FunctionsMigration } from './kinds.js';

/** Owners of accounts may have them deleted. App passwords stop meanwhile, so their change is announced. */
export class Migration0123Leaving extends FunctionsMigration {
  override name = '0123-leaving';

  override get locks() {
    return { ...super.locks, account: 'access exclusive' };
  }

  override up(): void {
    this.addSql(
      'alter table account add column leave_asked_at timestamptz, add column leaves_at timestamptz',
    );
    super.up();
  }
}
