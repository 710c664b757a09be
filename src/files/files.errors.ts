import { DomainError } from '../common/errors/domain-error.js';

/** There is no such file or folder, or it is none of the user's business. */
export class FileNotFound extends DomainError {
  readonly kind = 'not-found';

  constructor(path: string) {
    super(`There is no file or folder "${path}".`);
  }
}

/** There is such a file, but no picture of it. */
export class NoPreview extends DomainError {
  readonly kind = 'not-found';

  constructor(name: string) {
    super(`There is no preview of "${name}".`);
  }
}

export class ParentMissing extends DomainError {
  readonly kind = 'conflict';

  constructor(path: string) {
    super(`The folder that "${path}" is to be in does not exist.`);
  }
}

export class AlreadyExists extends DomainError {
  readonly kind = 'conflict';

  constructor(path: string) {
    super(`"${path}" already exists.`);
  }
}

/** Content was read from or written to something that holds none. */
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
    super(`There is not enough room: each user may keep ${quotaBytes} bytes of files.`);
  }
}

export class TooManyFiles extends DomainError {
  readonly kind = 'conflict';

  constructor(most: number) {
    super(
      `Each user may keep at most ${most} files and folders. Removed ones count until they are cleared away.`,
    );
  }
}

/** One request is about more files and folders than a request may be. */
export class TreeTooLarge extends DomainError {
  readonly kind = 'forbidden';

  constructor(nodes: number, most: number) {
    super(
      `This is about ${nodes} files and folders; one request may be about ${most}. Take folder by folder.`,
    );
  }
}

/** The operator's trouble: the folder with the contents is not mounted, or it is another one. */
export class ContentFolderMissing extends DomainError {
  readonly kind = 'unavailable';
  override readonly retryAfterSeconds = 60;

  constructor() {
    super('The folder with the contents of files is missing. Nothing is lost; try again later.');
  }
}

/** What the client made its request depend on is not so. */
export class ConditionFailed extends DomainError {
  readonly kind = 'conflict';
}

export class FileLocked extends DomainError {
  readonly kind = 'conflict';

  constructor(path: string) {
    super(`"${path}" is locked, and the lock's token was not sent.`);
  }
}

export class LockNotFound extends DomainError {
  readonly kind = 'conflict';

  constructor() {
    super('There is no lock of this token on this file or folder.');
  }
}

/** The top folder is always there. */
export class TopFolderStays extends DomainError {
  readonly kind = 'forbidden';

  constructor() {
    super('The top folder can be neither removed nor moved nor replaced.');
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
    super('Neither may a folder go into itself, nor replace a folder that it is in.');
  }
}

export class ChecksumMismatch extends DomainError {
  readonly kind = 'malformed';

  constructor(announced: string, computed: string) {
    super(`The content does not have the checksum ${announced}, but ${computed}. Send it again.`);
  }
}

/** The sender went away before all of the content had come. */
export class UploadBrokenOff extends DomainError {
  readonly kind = 'malformed';

  constructor() {
    super('The upload broke off before its end.');
  }
}

/** An upload in pieces was to end, and not all of it has come. */
export class PiecesMissing extends DomainError {
  readonly kind = 'malformed';

  constructor(announcedBytes: number, receivedBytes: number) {
    super(`The pieces have ${receivedBytes} bytes together, not ${announcedBytes}.`);
  }
}

/** A request that makes no sense in the protocol. */
export class InvalidDavRequest extends DomainError {
  readonly kind = 'malformed';
}

export class UnsupportedBody extends DomainError {
  readonly kind = 'malformed';

  constructor() {
    super('A folder is made without a body.');
  }
}

export class UnsupportedReport extends DomainError {
  readonly kind = 'malformed';

  constructor() {
    super('The one report there is lists favorites: filter-files.');
  }
}
