import { defineEntity, p } from '@mikro-orm/core';

const AppTrustAnswerSchema = defineEntity({
  name: 'AppTrustAnswerEntity',
  tableName: 'app_trust_answer',
  properties: {
    id: p.integer().primary().default(1),
    /** Null for the command line, and after the account was deleted. */
    userId: p.text().strictNullable(),
    answeredAt: p.datetime().defaultRaw('now()'),
  },
});

/** The answer of an administrator, once for the installation, that external apps are trusted. */
export class AppTrustAnswerEntity extends AppTrustAnswerSchema.class {}

AppTrustAnswerSchema.setClass(AppTrustAnswerEntity);
