import { z } from 'zod';
import { orElse } from '../../common/http/loose-inputs.js';
import { text } from '../field-schemas.js';
import { identityOf, type Capability } from './capability.js';
import { keyOfPageFile, pageFileFields, pageFileKey } from './page-resource.js';

const PAGE_FILE = { keyInput: pageFileKey, keyOf: keyOfPageFile };

const style = z.object(pageFileFields);
const script = z.object({ ...pageFileFields, afterAppId: orElse(text(32), '') });

/** A style sheet of a page. */
export const STYLE: Capability<z.output<typeof style>> = {
  ...PAGE_FILE,
  kind: 'style',
  routes: ['v1/ui/style'],
  input: style,
  toJson: ({ fields, ...entry }) => ({ ...identityOf(entry), ...fields }),
  missing: 'No such Style',
};

/** A script of a page; scripts load in the order of their registration. */
export const SCRIPT: Capability<z.output<typeof script>> = {
  ...PAGE_FILE,
  kind: 'script',
  routes: ['v1/ui/script'],
  input: script,
  toJson: ({ fields: { afterAppId, ...fields }, ...entry }) => ({
    ...identityOf(entry),
    ...fields,
    after_app_id: afterAppId,
  }),
  missing: 'No such Script',
};
