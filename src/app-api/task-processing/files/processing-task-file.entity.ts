import { entityOf, p } from '../../../database/entity-of.js';

/** A file that belongs to a task, outside the folders of users. */
export class ProcessingTaskFileEntity extends entityOf('processing_task_file', {
  /** From 10^12, above the ids of users' files. */
  id: p.bigint('number').primary().autoincrement().generated('identity'),
  taskId: p.bigint('number'),
  name: p.text(),
  mime: p.text(),
  /** Null until the upload is complete. */
  sizeBytes: p.bigint('number').strictNullable(),
}) {}
