import { longText, onOff, settings } from '../../../common/config/settings.js';

/** Provisioning over SCIM. */
export class ScimSettings extends settings('GATEFOLD_SCIM_', {
  GATEFOLD_SCIM_TOKEN: longText(32)
    .describe('Bearer token of a provisioning service for /scim/v2. Unset: not served')
    .meta({ isSecret: true, turnsOn: 'scim' }),
  GATEFOLD_SCIM_LINK_ACCOUNTS: onOff
    .default(false)
    .describe('Let SCIM manage existing accounts of the same name, except administrators'),
}) {}
