import { entityOf, p } from '../../../database/entity-of.js';

/** An authenticator app of a user (TOTP, RFC 6238). */
export class TotpFactorEntity extends entityOf('totp_factor', {
  userId: p.text().primary(),
  /** In base32, sealed by `SecretBox`. */
  sealedSecret: p.blob().$type<Buffer>(),
  /** Null until the first code was entered. */
  confirmedAt: p.datetime().strictNullable(),
  /** Of the latest code that was accepted; half minutes since 1970. */
  lastStep: p.bigint('number').default(0),
}) {}
