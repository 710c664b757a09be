import { wholeNumber, settings } from '../../common/config/settings.js';

export class FilesSettings extends settings('GATEFOLD_', {
  GATEFOLD_FILES_QUOTA_BYTES: wholeNumber(0, Number.MAX_SAFE_INTEGER)
    .default(10 * 1024 ** 3)
    .describe(
      'Storage quota per user, in bytes; 0 sets no limit. Accounts may have one of their own (operations/accounts.md)',
    ),
  GATEFOLD_TRASH_DAYS: wholeNumber(0, 36_500)
    .default(30)
    .describe('Days before deleted files leave the trash; 0 deletes files at once, without trash'),
  GATEFOLD_PREVIEW_CACHE_MIB: wholeNumber(1, 1_000_000)
    .default(256)
    .describe('Disk space, in MiB, for resized pictures; the least recently used are deleted'),
}) {}
