import { entityOf, p } from '../../../database/entity-of.js';

/** A login of a program that a user completes in a browser (login flow v2). */
export class LoginFlowEntity extends entityOf('login_flow', {
  id: p.bigint('number').primary().autoincrement().generated('identity'),
  /** SHA-256 of the token with which the program polls. */
  pollTokenHash: p.blob().$type<Buffer>(),
  /** SHA-256 of the token in the address that the browser opens. */
  loginTokenHash: p.blob().$type<Buffer>(),
  clientName: p.text(),
  /** Of the program, see `networkOf`. */
  network: p.text(),
  expiresAt: p.datetime(),
  /** Null until the user has decided. */
  userId: p.text().strictNullable(),
  appPasswordId: p.bigint('number').strictNullable(),
  /** Sealed by `SecretBox`, until the program fetches it. */
  sealedAppPassword: p.blob().$type<Buffer>().strictNullable(),
}) {}
