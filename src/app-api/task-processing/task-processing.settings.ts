import { settings, wholeNumber } from '../../common/config/settings.js';

/** Limits of tasks. */
export class TaskProcessingSettings extends settings('GATEFOLD_', {
  GATEFOLD_LARGEST_RECORDING_MIB: wholeNumber(1, 2000)
    .default(100)
    .describe('Maximum size, in MiB, of a recording to transcribe'),
  GATEFOLD_LARGEST_TASK_FILE_MIB: wholeNumber(1, 100_000)
    .default(200)
    .describe('Maximum size, in MiB, of a file that an external app adds to a task'),
  GATEFOLD_LONGEST_TASK_HOURS: wholeNumber(1, 24 * 30)
    .default(24)
    .describe('Hours after which a task of task processing fails unless it has ended'),
}) {}
