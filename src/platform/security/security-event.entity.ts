import { defineEntity, p } from '@mikro-orm/core';

const SecurityEventSchema = defineEntity({
  name: 'SecurityEventEntity',
  tableName: 'security_event',
  properties: {
    id: p.bigint('number').primary().autoincrement().generated('identity'),
    happenedAt: p.datetime(),
    kind: p.text(),
    userId: p.text().strictNullable(),
    address: p.text().strictNullable(),
    details: p.text().strictNullable(),
    actorId: p.text().strictNullable(),
    credential: p.text().strictNullable(),
  },
});

export class SecurityEventEntity extends SecurityEventSchema.class {}

SecurityEventSchema.setClass(SecurityEventEntity);
