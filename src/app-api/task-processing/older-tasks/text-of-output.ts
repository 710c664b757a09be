import { TaskFailed } from '../tasks.errors.js';
import type { SlotValues } from '../queue/processing-task.entity.js';

/**
 * The text of an output.
 *
 * @throws TaskFailed without one
 */
export function textOf(output: SlotValues): string {
  const { output: text } = output;
  if (typeof text !== 'string') {
    throw new TaskFailed('The external app sent no text.');
  }
  return text;
}
