// The JSON of users and groups in requests and answers. PATCH changes this
// JSON, so that it is the services' model as well. RFC 7643 section 4.
import { z } from 'zod';
import type { ScimGroupRow, ScimUserRow } from './scim.repository.js';

const LONGEST_TEXT = 1000;
const MOST_MEMBERS = 100_000;

const text = z.string().max(LONGEST_TEXT);

/** Microsoft Entra sends booleans as words. */
const flag = z.preprocess(
  (value) =>
    typeof value === 'string' ? { true: true, false: false }[value.toLowerCase()] : value,
  z.boolean(),
);

/** The stored attributes of a User, RFC 7643 section 4.1; others are ignored. */
export const UserInput = z.object({
  userName: text,
  externalId: text.nullish(),
  displayName: text.nullish(),
  name: z
    .object({ formatted: text.nullish(), givenName: text.nullish(), familyName: text.nullish() })
    .nullish(),
  emails: z
    .array(z.object({ value: text.nullish(), primary: flag.nullish() }))
    .max(20)
    .nullish(),
  active: flag.nullish(),
  password: text.nullish(),
});
export type UserInput = z.output<typeof UserInput>;

/** A Group of RFC 7643 section 4.2. */
export const GroupInput = z.object({
  displayName: text,
  externalId: text.nullish(),
  members: z
    .array(z.object({ value: text }))
    .max(MOST_MEMBERS)
    .nullish(),
});
export type GroupInput = z.output<typeof GroupInput>;

export const USER_SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:User';
export const GROUP_SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:Group';

interface ScimReference {
  readonly value: string;
  readonly display: string;
}

/** Address of the SCIM root, such as `https://example.org/scim/v2`. */
type Root = string;

export function toUserResource(row: ScimUserRow, groups: readonly ScimReference[], root: Root) {
  const { id, externalId, userId, displayName, givenName, familyName, email, active } = row;
  return {
    schemas: [USER_SCHEMA],
    id,
    ...(externalId !== null && { externalId }),
    userName: userId,
    displayName,
    name: {
      formatted: displayName,
      ...(givenName !== null && { givenName }),
      ...(familyName !== null && { familyName }),
    },
    emails: email === null ? [] : [{ value: email, type: 'work', primary: true }],
    active,
    groups: groups.map((group) => ({ ...group, $ref: `${root}/Groups/${group.value}` })),
    meta: metaOf('User', row, `${root}/Users/${id}`),
  };
}

export function toGroupResource(row: ScimGroupRow, members: readonly ScimReference[], root: Root) {
  const { id, externalId, displayName } = row;
  return {
    schemas: [GROUP_SCHEMA],
    id,
    ...(externalId !== null && { externalId }),
    displayName,
    members: members.map((member) => ({
      ...member,
      type: 'User',
      $ref: `${root}/Users/${member.value}`,
    })),
    meta: metaOf('Group', row, `${root}/Groups/${id}`),
  };
}

function metaOf(
  resourceType: 'User' | 'Group',
  { createdAt, changedAt }: { readonly createdAt: string; readonly changedAt: string },
  location: string,
) {
  return {
    resourceType,
    created: createdAt,
    lastModified: changedAt,
    location,
  };
}
