import { defineEntity, p } from '@mikro-orm/core';

const UserPreferenceSchema = defineEntity({
  name: 'UserPreferenceEntity',
  tableName: 'user_preference',
  properties: {
    userId: p.text().primary(),
    area: p.text().primary(),
    chosen: p.json().$type<Readonly<Record<string, unknown>>>().defaultRaw("'{}'::jsonb"),
    version: p.integer().default(0),
  },
});

/** The preferences of a user in one area: fields that differ from their default. */
export class UserPreferenceEntity extends UserPreferenceSchema.class {}

UserPreferenceSchema.setClass(UserPreferenceEntity);
