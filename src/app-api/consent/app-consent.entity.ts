import { defineEntity, p } from '@mikro-orm/core';

/** `asked`: the user has not decided yet. */
export type ConsentState = 'asked' | 'granted' | 'refused';

const AppConsentSchema = defineEntity({
  name: 'AppConsentEntity',
  tableName: 'app_consent',
  properties: {
    userId: p.text().primary(),
    appId: p.text().primary(),
    state: p.text().$type<ConsentState>(),
    /** When the app first asked; null if the user decided without being asked. */
    askedAt: p.datetime().strictNullable(),
    decidedAt: p.datetime().strictNullable(),
    /** The latest use, within the hour. */
    usedAt: p.datetime().strictNullable(),
  },
});

/** Whether an app may use the feed reader for a user. */
export class AppConsentEntity extends AppConsentSchema.class {}

AppConsentSchema.setClass(AppConsentEntity);
