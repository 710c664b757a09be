import { Migration } from '@mikro-orm/migrations';

/** What security events are about, besides users; searches by actor and by subject. */
export class Migration0056AuditLog extends Migration {
  override name = '0056-audit-log';

  override up(): void {
    this.addSql(`
      alter table security_event add column subject_kind text;
      alter table security_event add column subject_id text;
      create index security_event_actor_id_begins_index
        on security_event (lower(actor_id) text_pattern_ops, id);
      create index security_event_subject_id_begins_index
        on security_event (lower(subject_id) text_pattern_ops, id);
    `);
  }
}
