import { entityOf, p } from '../../../database/entity-of.js';

/** A part of a task's file; `place` counts from 0 without gaps. */
export class ProcessingTaskFilePieceEntity extends entityOf('processing_task_file_piece', {
  fileId: p.bigint('number').primary(),
  place: p.integer().primary(),
  bytes: p.blob(),
}) {}
