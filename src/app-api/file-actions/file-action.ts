import { z } from 'zod';
import { orElse, wholeNumber } from '../../common/http/loose-inputs.js';
import { byName, identityOf, type Capability } from '../capabilities/capability.js';
import { appPath, flag, handler, name, text, UNLIMITED } from '../field-schemas.js';

const ALL_PERMISSIONS = 31;

const input = z.object({
  name: name(64),
  displayName: text(64),
  actionHandler: handler(64),
  icon: orElse(appPath(UNLIMITED), ''),
  /** Parts of MIME types, separated by commas; `file` matches every file. */
  mime: orElse(text(UNLIMITED), 'file'),
  permissions: orElse(wholeNumber, ALL_PERMISSIONS),
  order: orElse(wholeNumber, 0),
  /** Whether a click on a file runs it. Kept if true, so that rows of earlier versions equal those of others. */
  defaultAction: flag
    .transform((isDefault) => isDefault || undefined)
    .optional()
    .catch(undefined),
});

/** 1.0 sends one request per node, 2.0 one request for all of them. */
type FileActionVersion = '1.0' | '2.0';

export type FileActionFields = z.output<typeof input> & { readonly version: FileActionVersion };

/** An entry of the context menu of files. The route of the registration sets its version. */
export const FILE_ACTION_V1 = fileAction('v1/ui/files-actions-menu', '1.0');
export const FILE_ACTION = fileAction('v2/ui/files-actions-menu', '2.0');

function fileAction(route: string, version: FileActionVersion): Capability<FileActionFields> {
  return {
    kind: 'file_action',
    routes: [route],
    input: input.transform((fields) => ({ ...fields, version })),
    keyInput: byName(64),
    keyOf: (fields) => fields.name,
    toJson: ({ fields, ...entry }) => ({
      ...identityOf(entry),
      name: fields.name,
      display_name: fields.displayName,
      mime: fields.mime,
      // A string, as in the reference's database.
      permissions: String(fields.permissions),
      order: fields.order,
      icon: fields.icon,
      action_handler: fields.actionHandler,
      version: fields.version,
      ...(fields.defaultAction && { default_action: 1 }),
    }),
    missing: 'FileActionMenu not found',
  };
}
