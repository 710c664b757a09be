import { Migration } from '@mikro-orm/migrations';

/** Groups and memberships that follow a directory; null for those made here. */
export class Migration0057ManagedGroups extends Migration {
  override name = '0057-managed-groups';

  override up(): void {
    this.addSql(`
      alter table account_group add column managed_by text
        constraint account_group_managed_by_check check (managed_by in ('oidc', 'ldap', 'scim'));
      alter table account_group_member add column managed_by text
        constraint account_group_member_managed_by_check check (managed_by in ('oidc', 'ldap', 'scim'));
    `);
  }
}
