import { defineEntity, p } from '@mikro-orm/core';

const ExAppRouteSchema = defineEntity({
  name: 'ExAppRouteEntity',
  tableName: 'ex_app_route',
  properties: {
    appId: p.text().primary(),
    place: p.integer().primary(),
    url: p.text(),
    verb: p.text(),
    accessLevel: p.smallint(),
    headersToExclude: p.array().$type<string[]>().defaultRaw("'{}'::text[]"),
    bruteforceStatuses: p
      .array()
      .columnType('int[]')
      .$type<number[]>()
      .defaultRaw("'{}'::integer[]"),
  },
});

export class ExAppRouteEntity extends ExAppRouteSchema.class {}

ExAppRouteSchema.setClass(ExAppRouteEntity);
