import { z } from 'zod';
import { httpAddress, onOff, text, settings } from '../../common/config/settings.js';

/** Logins at an OpenID Connect provider, which several subjects offer; `issuer` is empty without one. */
export class OidcSettings extends settings('GATEFOLD_OIDC_', {
  GATEFOLD_OIDC_ISSUER: httpAddress
    .default('')
    .describe('Issuer address of an OpenID Connect provider for logins')
    .meta({ needs: 'GATEFOLD_OIDC_CLIENT_ID', turnsOn: 'oidc' }),
  GATEFOLD_OIDC_CLIENT_ID: text
    .default('')
    .describe('Client id of Gatefold at that provider')
    .meta({ needs: 'GATEFOLD_OIDC_ISSUER' }),
  GATEFOLD_OIDC_CLIENT_SECRET: text
    .describe('Client secret; unset for a public client')
    .meta({ isSecret: true }),
  GATEFOLD_OIDC_NAME: text
    .max(60, 'must have at most 60 characters')
    .default('OpenID Connect')
    .describe('Name of the provider on the login page'),
  GATEFOLD_OIDC_SCOPES: z
    .string()
    .regex(/^(?:.* )?openid(?: .*)?$/, 'must contain the word openid')
    .default('openid profile email')
    .describe('Requested scopes, separated by spaces'),
  GATEFOLD_OIDC_USER_CLAIM: text
    .default('preferred_username')
    .describe('Claim with the user name for a first login'),
  GATEFOLD_OIDC_CREATE_ACCOUNTS: onOff.default(true).describe('Create an account at a first login'),
  GATEFOLD_OIDC_LINK_ACCOUNTS: onOff
    .default(false)
    .describe('Link a first OIDC login to an existing account of the same name'),
  GATEFOLD_OIDC_GROUPS_CLAIM: text.default('groups').describe('Claim with the names of groups'),
  GATEFOLD_OIDC_FOLLOW_GROUPS: onOff
    .default(false)
    .describe('At each login, put the user into the groups of that claim'),
  GATEFOLD_OIDC_GROUP_PREFIX: z
    .string()
    .regex(/^[^/\p{Cc}]{0,30}$/u, 'must have at most 30 characters, and no slash')
    .default('')
    .describe('Put before the names of such groups'),
  GATEFOLD_OIDC_ADMIN_GROUP: text.describe(
    'Value in that claim that grants administrator rights; unset: rights are not changed',
  ),
}) {}
