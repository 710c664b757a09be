import { constants, createPublicKey, verify, type JsonWebKey } from 'node:crypto';
import { z } from 'zod';

/** Whose log-in ended at the provider: one of a subject, all of a subject, or one by its id alone. */
export interface LogoutToken {
  readonly issuer: string;
  readonly subject: string | undefined;
  /** The provider's id of the log-in. */
  readonly sid: string | undefined;
}

/** What a token has to agree with. */
export interface LogoutExpectations {
  readonly issuer: string;
  readonly clientId: string;
  readonly nowSeconds: number;
}

/** The token proves nothing; the message says why. */
export class InvalidLogoutToken extends Error {}

/** Of a set of keys (RFC 7517), those we look at. */
export const ProviderKeys = z.object({
  keys: z.array(
    z.looseObject({
      kty: z.string(),
      kid: z.string().optional(),
      use: z.string().optional(),
      alg: z.string().optional(),
      crv: z.string().optional(),
    }),
  ),
});

export type ProviderKey = z.output<typeof ProviderKeys>['keys'][number];

interface Algorithm {
  readonly kty: string;
  readonly crv?: string;
  readonly digest: string | null;
  readonly options: {
    readonly padding?: number;
    readonly saltLength?: number;
    readonly dsaEncoding?: 'ieee-p1363';
  };
}

const PKCS1 = { padding: constants.RSA_PKCS1_PADDING };
const PSS = {
  padding: constants.RSA_PKCS1_PSS_PADDING,
  saltLength: constants.RSA_PSS_SALTLEN_DIGEST,
};
const ECDSA = { dsaEncoding: 'ieee-p1363' } as const;

/** Only those with a key of the provider's own: neither "none" nor secrets that both ends know. */
const ALGORITHMS: ReadonlyMap<string, Algorithm> = new Map<string, Algorithm>([
  ['RS256', { kty: 'RSA', digest: 'sha256', options: PKCS1 }],
  ['RS384', { kty: 'RSA', digest: 'sha384', options: PKCS1 }],
  ['RS512', { kty: 'RSA', digest: 'sha512', options: PKCS1 }],
  ['PS256', { kty: 'RSA', digest: 'sha256', options: PSS }],
  ['PS384', { kty: 'RSA', digest: 'sha384', options: PSS }],
  ['PS512', { kty: 'RSA', digest: 'sha512', options: PSS }],
  ['ES256', { kty: 'EC', crv: 'P-256', digest: 'sha256', options: ECDSA }],
  ['ES384', { kty: 'EC', crv: 'P-384', digest: 'sha384', options: ECDSA }],
  ['ES512', { kty: 'EC', crv: 'P-521', digest: 'sha512', options: ECDSA }],
  ['EdDSA', { kty: 'OKP', crv: 'Ed25519', digest: null, options: {} }],
  ['Ed25519', { kty: 'OKP', crv: 'Ed25519', digest: null, options: {} }],
]);

const LOGOUT_EVENT = 'http://schemas.openid.net/event/backchannel-logout';

/** Clocks differ. */
const SKEW_SECONDS = 60;

/** A token that somebody kept is worth nothing after this. */
const LONGEST_AGE_SECONDS = 300;

const Header = z.object({
  alg: z.string(),
  kid: z.string().optional(),
  // Some say "JWT", as with all tokens, and some nothing.
  typ: z
    .string()
    .regex(/^(?:application\/)?(?:logout\+jwt|jwt)$/i)
    .optional(),
  // Names what has to be understood; we understand nothing beyond the standard.
  crit: z.undefined().optional(),
});

const Claims = z.object({
  iss: z.string(),
  aud: z.union([z.string(), z.array(z.string())]),
  iat: z.number(),
  exp: z.number().optional(),
  jti: z.string().min(1),
  sub: z.string().min(1).optional(),
  sid: z.string().min(1).optional(),
  events: z.looseObject({ [LOGOUT_EVENT]: z.looseObject({}) }),
  // Tells ID tokens from these.
  nonce: z.undefined().optional(),
});

/** The id of the key that a token names, to know whether it is a new one. */
export function keyIdOf(token: string): string | undefined {
  return read(Header, token.split('.')[0]).kid;
}

/**
 * Reads what the provider says about a log-in that ended there. Checked by ourselves, since the
 * library knows no tokens of this kind; a mistake could end sessions, and begin none.
 *
 * @throws InvalidLogoutToken
 * @see https://openid.net/specs/openid-connect-backchannel-1_0.html#Validation
 */
export function readLogoutToken(
  token: string,
  keys: readonly ProviderKey[],
  { issuer, clientId, nowSeconds }: LogoutExpectations,
): LogoutToken {
  const [header, payload, signature, ...more] = token.split('.');
  if (more.length > 0 || signature === undefined) {
    throw new InvalidLogoutToken('it is no signed token');
  }
  if (!isSigned(read(Header, header), keys, `${header}.${payload}`, signature)) {
    throw new InvalidLogoutToken('no key of the provider signed it');
  }
  const { iss, aud, iat, exp, sub, sid } = read(Claims, payload);
  if (iss !== issuer || ![aud].flat().includes(clientId)) {
    throw new InvalidLogoutToken('it is of another provider, or for another client');
  }
  const isFresh =
    iat <= nowSeconds + SKEW_SECONDS &&
    iat >= nowSeconds - LONGEST_AGE_SECONDS - SKEW_SECONDS &&
    (exp === undefined || exp > nowSeconds - SKEW_SECONDS);
  if (!isFresh) {
    throw new InvalidLogoutToken('it is not of now');
  }
  if (sub === undefined && sid === undefined) {
    throw new InvalidLogoutToken('it names nobody');
  }
  return { issuer, subject: sub, sid };
}

function isSigned(
  { alg, kid }: z.output<typeof Header>,
  keys: readonly ProviderKey[],
  signed: string,
  signature: string,
): boolean {
  const algorithm = ALGORITHMS.get(alg);
  return (
    algorithm !== undefined &&
    keys
      .filter(
        (key) =>
          key.kty === algorithm.kty &&
          key.crv === algorithm.crv &&
          (key.use ?? 'sig') === 'sig' &&
          (key.alg ?? alg) === alg &&
          (kid === undefined || key.kid === kid),
      )
      .some((key) => isSignedBy(key, algorithm, signed, signature))
  );
}

function isSignedBy(
  jwk: ProviderKey,
  { digest, options }: Algorithm,
  signed: string,
  signature: string,
): boolean {
  try {
    const key = createPublicKey({ key: jwk as JsonWebKey, format: 'jwk' });
    const bytes = Buffer.from(signature, 'base64url');
    return verify(digest, Buffer.from(signed), { key, ...options }, bytes);
  } catch {
    // A key that cannot be read has signed nothing.
    return false;
  }
}

function read<Schema extends z.ZodType>(schema: Schema, part: string | undefined) {
  try {
    return schema.parse(JSON.parse(Buffer.from(part ?? '', 'base64url').toString('utf8')));
  } catch (error) {
    const { issues } = error as { readonly issues?: readonly { path: readonly PropertyKey[] }[] };
    const where = issues?.[0]?.path.join('.') ?? 'form';
    throw new InvalidLogoutToken(`its ${where} is not that of a logout token`, { cause: error });
  }
}
