import { createRemoteJWKSet, customFetch, errors, jwtVerify, type JWTVerifyGetKey } from 'jose';
import { z } from 'zod';
import type { OutgoingHttp } from '../../common/http/outgoing-http.js';
import { fetchThrough } from './oidc-fetch.js';

/** Whose login ended at the provider: one of a subject, all of a subject, or one by its id alone. */
export interface LogoutToken {
  readonly issuer: string;
  readonly subject: string | undefined;
  /** The provider's id of the login. */
  readonly sid: string | undefined;
}

/** What a token has to agree with. */
interface LogoutExpectations {
  readonly issuer: string;
  readonly clientId: string;
  readonly now: Date;
}

/** The token proves nothing; the message says why. */
export class InvalidLogoutToken extends Error {}

/** The keys with which a provider signs. */
export type ProviderKeys = JWTVerifyGetKey;

/** Only those with a key of the provider's own: neither "none" nor secrets that both ends know. */
const ALGORITHMS = 'RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519'.split(' ');

const LOGOUT_EVENT = 'http://schemas.openid.net/event/backchannel-logout';

/** Some say "JWT", as with all tokens, and some nothing. */
const LOGOUT_TYPE = /^(?:application\/)?(?:logout\+jwt|jwt)$/i;

/** Clocks differ. */
const SKEW_SECONDS = 60;

/** A token that somebody kept is worth nothing after this. */
const LONGEST_AGE_SECONDS = 300;

/** Keys that are asked for again after this, since the provider may have taken one back. */
const KEEP_KEYS_MS = 3_600_000;

/** Anybody can make up tokens with new key ids; the provider is not to suffer from it. */
const KEYS_GAP_MS = 10_000;

const TIMEOUT_MS = 15_000;

/** Errors of the library that are about the provider's answer rather than about the token. */
const NO_KEYS = new Set(['ERR_JOSE_GENERIC', 'ERR_JWKS_TIMEOUT', 'ERR_JWKS_INVALID']);

const Claims = z
  .object({
    iss: z.string(),
    jti: z.string().min(1),
    sub: z.string().min(1).optional(),
    sid: z.string().min(1).optional(),
    events: z.looseObject({ [LOGOUT_EVENT]: z.looseObject({}) }),
    // Tells ID tokens from these.
    nonce: z.undefined().optional(),
  })
  .refine(({ sub, sid }) => sub !== undefined || sid !== undefined, 'names nobody');

/** Asks for the keys when they are needed, and again for one that is not among them. */
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
 * Reads what the provider says about a login that ended there.
 *
 * @throws InvalidLogoutToken
 * @throws Error when the provider cannot be asked for its keys
 * @see https://openid.net/specs/openid-connect-backchannel-1_0.html#Validation
 */
export async function readLogoutToken(
  token: string,
  keys: ProviderKeys,
  { issuer, clientId, now }: LogoutExpectations,
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
    throw new InvalidLogoutToken('it is a token of another type');
  }
  const claims = Claims.safeParse(payload);
  if (!claims.success) {
    const where = claims.error.issues[0]?.path.join('.') || 'subject';
    throw new InvalidLogoutToken(`its ${where} is not that of a logout token`);
  }
  const { iss, sub, sid } = claims.data;
  return { issuer: iss, subject: sub, sid };
}
