import { defineEntity, p } from '@mikro-orm/core';

const AppDaemonSchema = defineEntity({
  name: 'AppDaemonEntity',
  tableName: 'app_daemon',
  properties: {
    name: p.text().primary(),
    displayName: p.text(),
    acceptsDeployId: p.text(),
    protocol: p.text(),
    host: p.text(),
    deployConfig: p.json().$type<unknown>().defaultRaw("'{}'::jsonb"),
    isDefault: p.boolean().default(false),
  },
});

export class AppDaemonEntity extends AppDaemonSchema.class {}

AppDaemonSchema.setClass(AppDaemonEntity);
