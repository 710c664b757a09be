import {
  malformed,
  notFound,
  preconditionFailed,
  tooMany,
  unauthenticated,
  unavailable,
} from '../../common/errors/domain-error.js';

/** No app provides the task type, or an administrator disabled it. */
export class TaskTypeUnavailable extends preconditionFailed(
  (typeId: string) => `No enabled external app provides tasks of the type "${typeId}".`,
) {}

/** A value of the input does not fit its slot; the message names the slot. */
export class InvalidTaskInput extends malformed() {}

export class TaskTypeNotFound extends notFound(
  (typeId: string) => `There is no task type "${typeId}".`,
) {}

/** A provider that is not there, or does other tasks. */
export class ProviderNotOfType extends malformed(
  (providerId: string, typeId: string) =>
    `No enabled app has a provider "${providerId}" for the task type "${typeId}".`,
) {}

export class ProcessingTaskNotFound extends notFound((id: number) => `There is no task ${id}.`) {}

/** A file of the input does not exist, is a folder, or may not be read by the user. */
export class TaskInputUnreadable extends unauthenticated(
  (fileId: number) => `The file ${fileId} of the input cannot be read.`,
) {}

export class TaskFileNotFound extends notFound((id: number) => `The task has no file ${id}.`) {}

export class TaskFileTooLarge extends malformed(
  (mebibytes: number) => `The file is larger than ${mebibytes} MiB.`,
) {}

export class TooManyTaskFiles extends tooMany(
  (most: number) => `A task has at most ${most} files.`,
) {}

/** A request that should carry a file does not. */
export class TaskFileMissing extends malformed() {}

/** The limit per two minutes. */
export class TasksTooFast extends tooMany(
  (most: number, retryAfterSeconds: number) =>
    `At most ${most} tasks can be scheduled in two minutes; wait ${retryAfterSeconds} s.`,
  (_most, retryAfterSeconds) => ({ retryAfterSeconds }),
) {}

/** A webhook of another form, or to an address that is never called. */
export class InvalidTaskWebhook extends malformed() {}

export class NoProvider extends unavailable() {}

export class LanguageNotDetected extends malformed() {}

/** The provider reported an error, or nothing before the deadline. */
export class TaskFailed extends unavailable() {}

export class TooManyTasks extends tooMany(
  (most: number) => `You have ${most} tasks that are not finished; wait until some are.`,
) {}

export class RecordingTooLarge extends malformed(
  (mebibytes: number) => `The recording is larger than ${mebibytes} MiB.`,
) {}
