import { defineStore } from 'pinia';
import { shallowRef, type Ref } from 'vue';
import { requestOcs } from '../../host/http.js';
import { usePagedList, type ListPage } from './paged-list.js';

/** External sources of groups; the names are the same in all languages. */
export const MANAGERS = { ldap: 'LDAP', scim: 'SCIM', oidc: 'OpenID Connect' } as const;

export interface Group {
  readonly id: string;
  readonly displayname: string;
  readonly usercount: number;
  /** Null: made here. */
  readonly managedBy: keyof typeof MANAGERS | null;
}

const ROOT = '/cloud/groups';
const AT_ONCE = 100;

/** Groups that match the search, page by page. */
export const useGroups = defineStore('admin-groups', () =>
  usePagedList<string, Group>('', AT_ONCE, groupsOfPage),
);

/** Groups in the order of their ids; an exact match comes first. */
export async function groupsOfPage(
  search: string,
  offset: number,
  limit: number,
): Promise<ListPage<Group>> {
  const { groups, total } = await requestOcs<{ groups: Group[]; total: number }>(
    `${ROOT}/details`,
    { query: { search, limit, offset } },
  );
  return { rows: groups, total };
}

/** Groups for a choice; none if they cannot be loaded. */
export function useOfferedGroups(): Readonly<Ref<readonly Group[]>> {
  const groups = shallowRef<readonly Group[]>([]);
  groupsOfPage('', 0, 1000).then(
    ({ rows }) => (groups.value = rows),
    () => {},
  );
  return groups;
}

export const addGroup = (id: string): Promise<void> =>
  requestOcs(ROOT, { method: 'POST', json: { groupid: id } });

export async function renameGroup(id: string, displayName: string): Promise<void> {
  const json = { key: 'displayname', value: displayName };
  await requestOcs(`${ROOT}/${encodeURIComponent(id)}`, { method: 'PUT', json });
}

export const removeGroup = (id: string): Promise<void> =>
  requestOcs(`${ROOT}/${encodeURIComponent(id)}`, { method: 'DELETE' });

export const setMember = (id: string, userId: string, isMember: boolean): Promise<void> =>
  requestOcs(`/cloud/users/${encodeURIComponent(userId)}/groups`, {
    method: isMember ? 'POST' : 'DELETE',
    json: { groupid: id },
  });
