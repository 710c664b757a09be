import { z } from 'zod';
import { orElse } from '../../common/http/loose-inputs.js';
import { text } from '../field-schemas.js';
import { identityOf, type Capability } from './capability.js';
import { keyOfPageFile, pageFileFields, pageFileKey } from './page-resource.js';

const input = z.object({ ...pageFileFields, afterAppId: orElse(text(32), '') });

type ScriptFields = z.output<typeof input>;

/** A script of a page; scripts load in the order of their registration. */
export const SCRIPT: Capability<ScriptFields> = {
  kind: 'script',
  routes: ['v1/ui/script'],
  input,
  keyInput: pageFileKey,
  keyOf: keyOfPageFile,
  toJson: ({ fields, ...entry }) => ({
    ...identityOf(entry),
    type: fields.type,
    name: fields.name,
    path: fields.path,
    after_app_id: fields.afterAppId,
  }),
  missing: 'No such Script',
};
