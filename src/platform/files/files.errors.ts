import {
  conflict,
  forbidden,
  malformed,
  notFound,
  storageFull,
  unavailable,
} from '../../common/errors/domain-error.js';

/** The file does not exist, or belongs to another user. */
export class FileNotFound extends notFound(
  (path: string) => `There is no file or folder "${path}".`,
) {}

/** The trash has no such entry, or it belongs to another user. */
export class NotInTrash extends notFound(
  (entry: string | number) => `There is nothing with the id ${entry} in the trash.`,
) {}

/** The file exists, but has no preview. */
export class NoPreview extends notFound((name: string) => `There is no preview of "${name}".`) {}

/** Too many previews are waiting. */
export class PreviewsBusy extends unavailable(
  'Too many previews are being made. Try again later.',
  { retryAfterSeconds: 5 },
) {}

export class ParentMissing extends conflict(
  (path: string) => `The parent folder of "${path}" does not exist.`,
) {}

export class AlreadyExists extends conflict((path: string) => `"${path}" already exists.`) {}

/** Content of a folder was read or written. */
export class IsFolder extends conflict(
  (path: string) => `"${path}" is a folder; only files have content.`,
) {}

export class NameRefused extends malformed() {}

export class QuotaExceeded extends conflict(
  (quotaBytes: number) => `Quota exceeded: this account may store ${quotaBytes} bytes of files.`,
) {}

export class TooManyFiles extends conflict(
  (most: number) =>
    `Each user may store at most ${most} files and folders. Deleted ones count until their removal is complete.`,
) {}

/** A request covers more files and folders than the limit allows. */
export class TreeTooLarge extends forbidden(
  (nodes: number, most: number) =>
    `The request covers ${nodes} files and folders; the limit is ${most}. Request subfolders one by one.`,
) {}

/** The content folder is not mounted, or belongs to another installation. */
export class ContentFolderMissing extends unavailable(
  'The folder with the contents of files is not available. Try again later.',
  { retryAfterSeconds: 60 },
) {}

/** The object store with the contents of files cannot be reached, or belongs to another installation. */
export class ContentStoreAway extends unavailable(
  'The store with the contents of files is not available. Try again later.',
  { retryAfterSeconds: 30 },
) {}

/** The object store has no room. Remedy: the operator adds space. */
export class ContentStoreFull extends storageFull(
  'The store with the contents of files is full. Nothing is stored until space is freed.',
) {}

/** Too many uploads to the object store in this process. */
export class ContentStoreBusy extends unavailable(
  'Too many files are being uploaded. Try again later.',
  { retryAfterSeconds: 5 },
) {}

/** A precondition of the request does not hold. */
export class ConditionFailed extends conflict() {}

export class FileLocked extends conflict(
  (path: string) => `"${path}" is locked, and the request does not have the lock token.`,
) {}

export class LockNotFound extends conflict('This file or folder has no lock with this token.') {}

export class TopFolderStays extends forbidden(
  'The top folder cannot be deleted, moved or overwritten.',
) {}

export class SameFile extends forbidden('Source and destination are the same.') {}

export class IntoItself extends conflict(
  'A folder cannot be moved into itself or overwrite one of its parent folders.',
) {}

export class ChecksumMismatch extends malformed(
  (expected: string, computed: string) =>
    `The checksum of the content is ${computed}, not ${expected}. Upload it again.`,
) {}

/** The client disconnected before the end of the content. */
export class UploadBrokenOff extends malformed('The upload was aborted before its end.') {}

/** An upload in pieces was finished before all pieces had arrived. */
export class PiecesMissing extends malformed(
  (expectedBytes: number, receivedBytes: number) =>
    `The pieces have ${receivedBytes} bytes in total, not ${expectedBytes}.`,
) {}

/** The request violates RFC 4918 or RFC 5323. */
export class InvalidDavRequest extends malformed() {}

export class UnsupportedBody extends malformed('MKCOL with a body is not supported.') {}

export class UnsupportedReport extends malformed(
  'Only the report filter-files with favorite is supported.',
) {}
