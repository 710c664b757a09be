import { defineEntity, p } from '@mikro-orm/core';
import { AccountEntity } from '../users/account.entity.js';

const AppPasswordSchema = defineEntity({
  name: 'AppPasswordEntity',
  tableName: 'app_password',
  properties: {
    id: p.bigint('number').primary().autoincrement().generated('identity'),
    user: () => p.manyToOne(AccountEntity).joinColumn('user_id').deleteRule('cascade').index(),
    name: p.text(),
    /** SHA-256 of the token; the token itself is never stored. */
    tokenHash: p.blob().unique(),
    mayAdminister: p.boolean().default(false),
    createdAt: p.datetime().defaultRaw('now()'),
    lastUsedAt: p.datetime().nullable(),
  },
});

/** One more way to log in as a user, for one program, revocable by itself. */
export class AppPasswordEntity extends AppPasswordSchema.class {}

AppPasswordSchema.setClass(AppPasswordEntity);
