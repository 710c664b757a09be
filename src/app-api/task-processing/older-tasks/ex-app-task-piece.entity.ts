import { entityOf, p } from '../../../database/entity-of.js';

/** A part of the recording of an unfinished task; `place` counts from 0 without gaps. */
export class ExAppTaskPieceEntity extends entityOf('ex_app_task_piece', {
  taskId: p.bigint('number').primary(),
  place: p.integer().primary(),
  bytes: p.blob(),
}) {}
