import { createRemoteJWKSet, customFetch, errors, jwtVerify, type JWTVerifyGetKey } from 'jose';
import { z } from 'zod';
import type { OutgoingHttp } from '../../../common/http/outgoing-http.js';
import { fetchThrough } from './oidc-fetch.js';

/** Scope of a logout: one login of a subject, all of a subject, or one by its id alone. */
export interface LogoutToken {
  readonly issuer: string;
  readonly subject: string | undefined;
  /** The provider's id of the login. */
  readonly sid: string | undefined;
}

/** The token is invalid; the message has the reason. */
export class InvalidLogoutToken extends Error {}

export type ProviderKeys = JWTVerifyGetKey;

/** Asymmetric algorithms only: neither "none" nor HMAC with a shared secret. */
const ALGORITHMS = 'RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519'.split(' ');

const LOGOUT_EVENT = 'http://schemas.openid.net/event/backchannel-logout';

/** Some providers send the generic "JWT", some no type. */
const LOGOUT_TYPE = /^(?:application\/)?(?:logout\+jwt|jwt)$/i;

/** Tolerated clock difference. */
const SKEW_SECONDS = 60;

/** Limits replay. */
const LONGEST_AGE_SECONDS = 300;

/** Cached keys are requested again after this, since the provider may have revoked one. */
const KEEP_KEYS_MS = 3_600_000;

/** Minimum interval between requests for keys: any client can invent tokens with unknown key ids. */
const KEYS_GAP_MS = 10_000;

const TIMEOUT_MS = 15_000;

/** Errors of the library about the provider's answer, not about the token. */
const NO_KEYS = new Set(['ERR_JOSE_GENERIC', 'ERR_JWKS_TIMEOUT', 'ERR_JWKS_INVALID']);

const Claims = z
  .object({
    iss: z.string(),
    jti: z.string().min(1),
    sub: z.string().min(1).optional(),
    sid: z.string().min(1).optional(),
    events: z.looseObject({ [LOGOUT_EVENT]: z.looseObject({}) }),
    // ID tokens have a nonce, logout tokens must not.
    nonce: z.undefined().optional(),
  })
  .refine(({ sub, sid }) => sub !== undefined || sid !== undefined, 'names nobody');

/** Requests the keys on first use, and again for an unknown key id. */
export function providerKeys(address: string, http: OutgoingHttp): ProviderKeys {
  const fetch = fetchThrough(http);
  return createRemoteJWKSet(new URL(address), {
    cacheMaxAge: KEEP_KEYS_MS,
    cooldownDuration: KEYS_GAP_MS,
    timeoutDuration: TIMEOUT_MS,
    [customFetch]: (url, { headers, ...options }) =>
      fetch(url, { ...options, body: undefined, headers: Object.fromEntries(headers) }),
  });
}

/**
 * Verifies a logout token of the provider.
 *
 * @throws InvalidLogoutToken
 * @throws Error when the provider's keys cannot be fetched
 * @see https://openid.net/specs/openid-connect-backchannel-1_0.html#Validation
 */
export async function readLogoutToken(
  token: string,
  keys: ProviderKeys,
  {
    issuer,
    clientId,
    now,
  }: { readonly issuer: string; readonly clientId: string; readonly now: Date },
): Promise<LogoutToken> {
  const { payload, protectedHeader } = await jwtVerify(token, keys, {
    algorithms: ALGORITHMS,
    issuer,
    audience: clientId,
    currentDate: now,
    clockTolerance: SKEW_SECONDS,
    maxTokenAge: LONGEST_AGE_SECONDS,
  }).catch((error: unknown) => {
    const isAboutToken = error instanceof errors.JOSEError && !NO_KEYS.has(error.code);
    throw isAboutToken ? new InvalidLogoutToken(error.message, { cause: error }) : error;
  });
  if (protectedHeader.typ !== undefined && !LOGOUT_TYPE.test(protectedHeader.typ)) {
    throw new InvalidLogoutToken('it has another token type');
  }
  const claims = Claims.safeParse(payload);
  if (!claims.success) {
    const where = claims.error.issues[0]?.path.join('.') || 'subject';
    throw new InvalidLogoutToken(`its ${where} is not that of a logout token`);
  }
  const { iss, sub, sid } = claims.data;
  return { issuer: iss, subject: sub, sid };
}
