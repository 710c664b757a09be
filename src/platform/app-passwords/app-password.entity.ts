import { defineEntity, p } from '@mikro-orm/core';

const AppPasswordSchema = defineEntity({
  name: 'AppPasswordEntity',
  tableName: 'app_password',
  properties: {
    id: p.bigint('number').primary().autoincrement().generated('identity'),
    userId: p.text(),
    name: p.text(),
    /** SHA-256 of the token. */
    tokenHash: p.blob().$type<Buffer>(),
    /** Gives the program the administrator rights of its user. */
    mayAdminister: p.boolean().default(false),
    createdAt: p.datetime().defaultRaw('now()'),
    lastUsedAt: p.datetime().strictNullable(),
  },
});

/** A password for one program of a user, which can be revoked by itself. */
export class AppPasswordEntity extends AppPasswordSchema.class {}

AppPasswordSchema.setClass(AppPasswordEntity);
