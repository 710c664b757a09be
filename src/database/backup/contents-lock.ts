/**
 * Arbitrary, but the same in every version. Held by backups, and tried by what removes contents of
 * files, so that none disappears while a backup is written.
 */
export const CONTENTS_LOCK = 4_706_003;
