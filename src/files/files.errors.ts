import { DomainError } from '../common/errors/domain-error.js';

/** The file does not exist, or belongs to another user. */
export class FileNotFound extends DomainError {
  readonly kind = 'not-found';

  constructor(path: string) {
    super(`There is no file or folder "${path}".`);
  }
}

/** The trash has no such entry, or it belongs to another user. */
export class NotInTrash extends DomainError {
  readonly kind = 'not-found';

  constructor(entry: string | number) {
    super(`There is nothing with the id ${entry} in the trash.`);
  }
}

/** The file exists, but has no preview. */
export class NoPreview extends DomainError {
  readonly kind = 'not-found';

  constructor(name: string) {
    super(`There is no preview of "${name}".`);
  }
}

/** More previews are being made than may wait. */
export class PreviewsBusy extends DomainError {
  readonly kind = 'unavailable';
  override readonly retryAfterSeconds = 5;

  constructor() {
    super('Too many previews are being made. Try again later.');
  }
}

export class ParentMissing extends DomainError {
  readonly kind = 'conflict';

  constructor(path: string) {
    super(`The parent folder of "${path}" does not exist.`);
  }
}

export class AlreadyExists extends DomainError {
  readonly kind = 'conflict';

  constructor(path: string) {
    super(`"${path}" already exists.`);
  }
}

/** Content of a folder was read or written. */
export class IsFolder extends DomainError {
  readonly kind = 'conflict';

  constructor(path: string) {
    super(`"${path}" is a folder; only files have content.`);
  }
}

export class NameRefused extends DomainError {
  readonly kind = 'malformed';
}

export class QuotaExceeded extends DomainError {
  readonly kind = 'conflict';

  constructor(quotaBytes: number) {
    super(`Quota exceeded: this account may store ${quotaBytes} bytes of files.`);
  }
}

export class TooManyFiles extends DomainError {
  readonly kind = 'conflict';

  constructor(most: number) {
    super(
      `Each user may store at most ${most} files and folders. Deleted ones count until their removal is complete.`,
    );
  }
}

/** A request covers more files and folders than the limit allows. */
export class TreeTooLarge extends DomainError {
  readonly kind = 'forbidden';

  constructor(nodes: number, most: number) {
    super(
      `The request covers ${nodes} files and folders; the limit is ${most}. Request subfolders one by one.`,
    );
  }
}

/** The content folder is not mounted, or is that of another installation. */
export class ContentFolderMissing extends DomainError {
  readonly kind = 'unavailable';
  override readonly retryAfterSeconds = 60;

  constructor() {
    super('The folder with the contents of files is not available. Try again later.');
  }
}

/** The object store with the contents of files cannot be reached, or is not that of this installation. */
export class ContentStoreAway extends DomainError {
  readonly kind = 'unavailable';
  override readonly retryAfterSeconds = 30;

  constructor() {
    super('The store with the contents of files is not available. Try again later.');
  }
}

/** The object store has no room. Remedy: the operator adds space. */
export class ContentStoreFull extends DomainError {
  readonly kind = 'storage-full';

  constructor() {
    super('The store with the contents of files is full. Nothing is stored until space is freed.');
  }
}

/** More files are being uploaded to the object store than this process may. */
export class ContentStoreBusy extends DomainError {
  readonly kind = 'unavailable';
  override readonly retryAfterSeconds = 5;

  constructor() {
    super('Too many files are being uploaded. Try again later.');
  }
}

/** A precondition of the request does not hold. */
export class ConditionFailed extends DomainError {
  readonly kind = 'conflict';
}

export class FileLocked extends DomainError {
  readonly kind = 'conflict';

  constructor(path: string) {
    super(`"${path}" is locked, and the request does not have the lock token.`);
  }
}

export class LockNotFound extends DomainError {
  readonly kind = 'conflict';

  constructor() {
    super('This file or folder has no lock with this token.');
  }
}

export class TopFolderStays extends DomainError {
  readonly kind = 'forbidden';

  constructor() {
    super('The top folder cannot be deleted, moved or overwritten.');
  }
}

export class SameFile extends DomainError {
  readonly kind = 'forbidden';

  constructor() {
    super('Source and destination are the same.');
  }
}

export class IntoItself extends DomainError {
  readonly kind = 'conflict';

  constructor() {
    super('A folder cannot be moved into itself or overwrite one of its parent folders.');
  }
}

export class ChecksumMismatch extends DomainError {
  readonly kind = 'malformed';

  constructor(expected: string, computed: string) {
    super(`The checksum of the content is ${computed}, not ${expected}. Upload it again.`);
  }
}

/** The client disconnected before the end of the content. */
export class UploadBrokenOff extends DomainError {
  readonly kind = 'malformed';

  constructor() {
    super('The upload was aborted before its end.');
  }
}

/** An upload in pieces was finished before all pieces had arrived. */
export class PiecesMissing extends DomainError {
  readonly kind = 'malformed';

  constructor(expectedBytes: number, receivedBytes: number) {
    super(`The pieces have ${receivedBytes} bytes in total, not ${expectedBytes}.`);
  }
}

/** The request violates RFC 4918 or RFC 5323. */
export class InvalidDavRequest extends DomainError {
  readonly kind = 'malformed';
}

export class UnsupportedBody extends DomainError {
  readonly kind = 'malformed';

  constructor() {
    super('MKCOL with a body is not supported.');
  }
}

export class UnsupportedReport extends DomainError {
  readonly kind = 'malformed';

  constructor() {
    super('Only the report filter-files with favorite is supported.');
  }
}
