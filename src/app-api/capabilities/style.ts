import { z } from 'zod';
import { identityOf, type Capability } from './capability.js';
import { keyOfPageFile, pageFileFields, pageFileKey } from './page-resource.js';

const input = z.object(pageFileFields);

type StyleFields = z.output<typeof input>;

/** A style sheet of a page. */
export const STYLE: Capability<StyleFields> = {
  kind: 'style',
  routes: ['v1/ui/style'],
  input,
  keyInput: pageFileKey,
  keyOf: keyOfPageFile,
  toJson: ({ fields, ...entry }) => ({
    ...identityOf(entry),
    type: fields.type,
    name: fields.name,
    path: fields.path,
  }),
  missing: 'No such Style',
};
