/**
 * Arbitrary, but the same in every version. Held by backups, and tried before contents of files are
 * removed, so that none disappears while a backup is written.
 */
export const CONTENTS_LOCK = 4_706_003;
