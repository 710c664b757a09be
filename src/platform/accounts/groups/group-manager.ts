/** A directory whose groups are followed here. */
export type GroupManager = 'oidc' | 'ldap' | 'scim';
