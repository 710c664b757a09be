import { malformed, notFound, tooMany, unavailable } from '../../common/errors/domain-error.js';

export class NoProvider extends unavailable() {}

export class LanguageNotDetected extends malformed() {}

/** The provider reported an error, or nothing before the deadline. */
export class TaskFailed extends unavailable() {}

export class TaskNotFound extends notFound((taskId: number) => `There is no task ${taskId}.`) {}

export class TooManyTasks extends tooMany(
  (most: number) => `You have ${most} tasks that are not finished; wait until some are.`,
) {}

export class RecordingTooLarge extends malformed(
  (mebibytes: number) => `The recording is larger than ${mebibytes} MiB.`,
) {}
