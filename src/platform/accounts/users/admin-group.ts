/** The group of administrators: it has no rows, since `account.is_admin` says who is in it. */
export const ADMIN_GROUP = 'admin';

/** Whether people read a name as that of the administrators' group. */
export function isAdminGroup(name: string): boolean {
  return name.normalize('NFKC').trim().toLowerCase() === ADMIN_GROUP;
}
