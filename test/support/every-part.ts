/** Turns on parts that need settings, for specs that look at every route. The provider does not answer. */
export const EVERY_PART = {
  GATEFOLD_SCIM_TOKEN: 'x'.repeat(32),
  GATEFOLD_OIDC_ISSUER: 'https://127.0.0.1:9',
  GATEFOLD_OIDC_CLIENT_ID: 'gatefold',
} as const;
