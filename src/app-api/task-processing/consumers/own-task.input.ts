import { z } from 'zod';
import { looseBoolean, looseMap, orElse } from '../../../common/http/loose-inputs.js';
import { line, name } from '../../field-schemas.js';

const LONGEST_ID = 255;
const LONGEST_ADDRESS = 4000;

const flag = (fallback: boolean) => orElse(looseBoolean('must be a boolean'), fallback);

/** An absent, null or empty text is null. */
const textOrNull = (longest: number) =>
  z.preprocess((sent) => (sent === '' ? null : (sent ?? null)), line(longest).nullable());

/** A task that an app schedules for itself. */
export const ScheduleOwn = z.object({
  input: looseMap(z.unknown(), 'must be an object of values'),
  type: name(LONGEST_ID),
  customId: orElse(line(LONGEST_ID), ''),
  webhookUri: textOrNull(LONGEST_ADDRESS),
  webhookMethod: textOrNull(LONGEST_ID),
  includeWatermark: flag(true),
  preferStreaming: flag(false),
});
export type ScheduleOwn = z.output<typeof ScheduleOwn>;

export const Schedule = ScheduleOwn.extend({ appId: name(LONGEST_ID) });
export type Schedule = z.output<typeof Schedule>;

export const OwnTaskPath = z.object({
  id: z.coerce.number({ error: 'must be a number' }).int().nonnegative(),
});
export type OwnTaskPath = z.output<typeof OwnTaskPath>;

/** Filters of the list of the caller's tasks. */
export const OwnTaskFilter = z
  .object({
    appId: textOrNull(LONGEST_ID),
    taskType: textOrNull(LONGEST_ID),
    customId: textOrNull(LONGEST_ID),
  })
  .transform(({ appId, taskType, customId }) => ({
    consumer: appId,
    typeId: taskType,
    customId,
  }));
export type OwnTaskFilter = z.output<typeof OwnTaskFilter>;
