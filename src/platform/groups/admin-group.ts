/** The group of administrators: it has no rows, since `account.is_admin` says who is in it. */
export const ADMIN_GROUP = 'admin';
