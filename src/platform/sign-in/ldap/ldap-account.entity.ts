import { defineEntity, p } from '@mikro-orm/core';

const LdapAccountSchema = defineEntity({
  name: 'LdapAccountEntity',
  tableName: 'ldap_account',
  properties: {
    userId: p.text().primary(),
    /** Permanent id of the entry, see `entryIdOf`. */
    entryId: p.text().unique(),
    /** Display name that the directory had last. */
    toldName: p.text().strictNullable(),
    /** Email that the directory had last. */
    toldEmail: p.text().strictNullable(),
    /** When the account was disabled because the directory had no entry; equal to that of the account. */
    disabledAt: p.datetime().strictNullable(),
    createdAt: p.datetime().defaultRaw('now()'),
  },
});

/** An account whose password a directory verifies. */
export class LdapAccountEntity extends LdapAccountSchema.class {}

LdapAccountSchema.setClass(LdapAccountEntity);
