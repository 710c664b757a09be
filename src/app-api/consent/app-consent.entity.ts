import { entityOf, p } from '../../database/entity-of.js';

/** `asked`: the user has not decided yet. */
export type ConsentState = 'asked' | 'granted' | 'refused';

/** Whether an app may use the feed reader for a user. */
export class AppConsentEntity extends entityOf('app_consent', {
  userId: p.text().primary(),
  appId: p.text().primary(),
  state: p.text().$type<ConsentState>(),
  /** When the app first asked; null if the user decided without being asked. */
  askedAt: p.datetime().strictNullable(),
  decidedAt: p.datetime().strictNullable(),
  /** The latest use, within the hour. */
  usedAt: p.datetime().strictNullable(),
}) {}
