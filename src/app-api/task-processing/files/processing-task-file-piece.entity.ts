import { defineEntity, p } from '@mikro-orm/core';

const ProcessingTaskFilePieceSchema = defineEntity({
  name: 'ProcessingTaskFilePieceEntity',
  tableName: 'processing_task_file_piece',
  properties: {
    fileId: p.bigint('number').primary(),
    place: p.integer().primary(),
    bytes: p.blob(),
  },
});

/** A part of a task's file; `place` counts from 0 without gaps. */
export class ProcessingTaskFilePieceEntity extends ProcessingTaskFilePieceSchema.class {}

ProcessingTaskFilePieceSchema.setClass(ProcessingTaskFilePieceEntity);
