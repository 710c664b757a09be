import { entityOf, p } from '../../../database/entity-of.js';

/** What administrators decided about a task type; types without a row are enabled. */
export class TaskTypeSettingEntity extends entityOf('task_type_setting', {
  type: p.text().primary(),
  enabled: p.boolean().defaultRaw('true'),
  /** The preferred provider; null for the first one that was registered. */
  providerId: p.text().strictNullable(),
}) {}
