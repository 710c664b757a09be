import { defineEntity, p } from '@mikro-orm/core';

const TaskTypeSettingSchema = defineEntity({
  name: 'TaskTypeSettingEntity',
  tableName: 'task_type_setting',
  properties: {
    type: p.text().primary(),
    enabled: p.boolean().defaultRaw('true'),
    /** The preferred provider; null for the first one that was registered. */
    providerId: p.text().strictNullable(),
  },
});

/** What administrators decided about a task type; types without a row are enabled. */
export class TaskTypeSettingEntity extends TaskTypeSettingSchema.class {}

TaskTypeSettingSchema.setClass(TaskTypeSettingEntity);
