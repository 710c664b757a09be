import { z } from 'zod';

/** Optional parts of the service, and the parts that each needs. */
const NEEDS = {
  reader: [],
  'google-reader': ['reader'],
  fever: ['reader'],
  'saved-pages': ['reader'],
  'feeds-out': ['reader'],
  apps: [],
  'task-processing': ['apps'],
  assistance: ['reader', 'task-processing'],
  stories: ['reader'],
  highlights: ['reader'],
  'group-folders': ['reader'],
  boards: ['group-folders'],
  files: [],
  'files-extras': ['files'],
  chat: [],
} as const satisfies Readonly<Record<string, readonly string[]>>;

export type NamedPart = keyof typeof NEEDS;

/** Parts that are enabled by their settings. */
const CONFIGURED_PARTS = ['ldap', 'scim', 'oidc', 'mail', 'object-store', 'tracing'] as const;

export type ConfiguredPart = (typeof CONFIGURED_PARTS)[number];

export type PartName = NamedPart | ConfiguredPart;

export const NAMED_PARTS = Object.keys(NEEDS) as NamedPart[];

/** All parts, in the order of the documents. */
export const PART_NAMES: readonly PartName[] = [...NAMED_PARTS, ...CONFIGURED_PARTS];

/** `GATEFOLD_PARTS`: names of parts and their requirements. */
export const partsSetting = z
  .string()
  .transform((text) => text.split(/[\s,]+/).filter(Boolean))
  .refine(
    (names): names is NamedPart[] => names.every((name) => Object.hasOwn(NEEDS, name)),
    `must be names of ${NAMED_PARTS.join(', ')}`,
  )
  .transform((names): ReadonlySet<PartName> => new Set(names.flatMap(withNeeds)));

function withNeeds(name: NamedPart): NamedPart[] {
  return [name, ...NEEDS[name].flatMap(withNeeds)];
}
