import { z } from 'zod';
import { onOff, settings } from '../../../common/config/settings.js';

/** Login by a reverse proxy's header, whose name is in lower case. */
export class TrustedHeaderSettings extends settings('GATEFOLD_TRUSTED_LOGIN_', {
  GATEFOLD_TRUSTED_LOGIN_HEADER: z
    .string()
    .regex(/^[A-Za-z0-9-]+$/, 'must be the name of a header')
    .toLowerCase()
    .describe('Header in which GATEFOLD_TRUSTED_PROXIES send the name of the logged-in user')
    .meta({ needs: 'GATEFOLD_TRUSTED_PROXIES' }),
  GATEFOLD_TRUSTED_LOGIN_CREATE_ACCOUNTS: onOff
    .default(false)
    .describe('Create an account for an unknown user in that header'),
}) {}
