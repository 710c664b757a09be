/** The ways in which callers prove who they are, as OpenAPI has them. */
export const SECURITY_SCHEMES = {
  basic: {
    type: 'http',
    scheme: 'basic',
    description: 'The name of an account with its password or, better, an app password.',
  },
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: 'gatefold_session',
    description:
      'The session of a browser. Requests that change something also send the token of `/csrftoken` in the header `requesttoken`.',
  },
  externalApp: {
    type: 'apiKey',
    in: 'header',
    name: 'AUTHORIZATION-APP-API',
    description:
      'Base64 of `USER:SECRET` with the secret of the app, together with the headers `EX-APP-ID` and `EX-APP-VERSION`. USER is empty, or the user for whom the app acts.',
  },
  googleLogin: {
    type: 'apiKey',
    in: 'header',
    name: 'Authorization',
    description: '`GoogleLogin auth=TOKEN` with the token of `/accounts/ClientLogin`.',
  },
  feverKey: {
    type: 'apiKey',
    in: 'query',
    name: 'api_key',
    description:
      'The MD5 of `USER:PASSWORD` with an app password for Fever. Usually in the form, which is better: addresses are logged.',
  },
  chatBot: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Nextcloud-Talk-Bot-Signature',
    description:
      'HMAC-SHA256 of the header `X-Nextcloud-Talk-Bot-Random` and the message, with the secret of the bot.',
  },
  bearer: { type: 'http', scheme: 'bearer' },
};

/** Ways for a caller to authenticate. */
export type SecurityScheme = keyof typeof SECURITY_SCHEMES;
