import { defineEntity, p } from '@mikro-orm/core';

const WebsubLeaseSchema = defineEntity({
  name: 'WebsubLeaseEntity',
  tableName: 'websub_lease',
  properties: {
    callbackId: p.text().primary(),
    sourceId: p.bigint('number').strictNullable(),
    hubUrl: p.text(),
    topicUrl: p.text(),
    secret: p.text().strictNullable(),
    state: p.text(),
    expiresAt: p.datetime().strictNullable(),
    nextStepAt: p.datetime().defaultRaw('now()'),
    failures: p.integer().default(0),
    lastCallAt: p.datetime().strictNullable(),
    secretSealed: p.blob().strictNullable(),
  },
});

export class WebsubLeaseEntity extends WebsubLeaseSchema.class {}

WebsubLeaseSchema.setClass(WebsubLeaseEntity);
