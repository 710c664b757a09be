import { z } from 'zod';
import { orElse } from '../../common/http/loose-inputs.js';
import { appPath, flag, name, text } from '../field-schemas.js';
import { byName, identityOf, type Capability } from './capability.js';
import { pageKeyPrefix } from './page-resource.js';

const input = z.object({
  name: name(32),
  displayName: text(32),
  /** Empty for the host's default icon. */
  icon: orElse(appPath(410), ''),
  adminRequired: orElse(flag, false),
});

export type TopMenuFields = z.output<typeof input>;

/** An entry of the top menu; deleted with the initial states, scripts and styles of its page. */
export const TOP_MENU: Capability<TopMenuFields> = {
  kind: 'top_menu',
  routes: ['v1/ui/top-menu'],
  input,
  keyInput: byName(32),
  keyOf: (fields) => fields.name,
  pageKeyPrefix,
  toJson: ({ fields, ...entry }) => ({
    ...identityOf(entry),
    name: fields.name,
    display_name: fields.displayName,
    icon: fields.icon,
    admin_required: Number(fields.adminRequired),
  }),
  missing: 'No such Top Menu entry',
};
