import { defineEntity, p } from '@mikro-orm/core';

const ExAppTaskPieceSchema = defineEntity({
  name: 'ExAppTaskPieceEntity',
  tableName: 'ex_app_task_piece',
  properties: {
    taskId: p.bigint('number').primary(),
    place: p.integer().primary(),
    bytes: p.blob(),
  },
});

/** A part of the recording of an unfinished task; `place` counts from 0 without gaps. */
export class ExAppTaskPieceEntity extends ExAppTaskPieceSchema.class {}

ExAppTaskPieceSchema.setClass(ExAppTaskPieceEntity);
