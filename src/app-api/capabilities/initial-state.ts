import { z } from 'zod';
import { name } from '../field-schemas.js';
import { identityOf, type Capability } from './capability.js';
import { compoundKey, pageFields } from './page-resource.js';

const keyFields = { ...pageFields, key: name(64) };

const input = z.object({
  ...keyFields,
  // Stored as sent: scripts of the app can tell `[]` from `{}`.
  value: z.unknown().refine((value) => typeof value === 'object' && value !== null, {
    error: 'must be a list or an object',
  }),
});

type InitialStateFields = z.output<typeof input>;

/** A value for the scripts of a page, delivered with the page. */
export const INITIAL_STATE: Capability<InitialStateFields> = {
  kind: 'initial_state',
  routes: ['v1/ui/initial-state'],
  largeBodies: true,
  input,
  keyInput: z.object(keyFields).transform(keyOf),
  keyOf,
  toJson: ({ fields, ...entry }) => ({
    ...identityOf(entry),
    type: fields.type,
    name: fields.name,
    key: fields.key,
    value: fields.value,
  }),
  missing: 'No such InitialState',
};

function keyOf({ type, name, key }: Omit<InitialStateFields, 'value'>): string {
  return compoundKey(type, name, key);
}
