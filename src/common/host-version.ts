/**
 * The version for clients, which compare it with Nextcloud releases to choose features: from 29
 * external apps register settings forms, and from 30 they no longer register the providers of our
 * specification.
 */
export const HOST_VERSION = { major: 29, minor: 0, micro: 16 } as const;

export const HOST_VERSION_TEXT = `${HOST_VERSION.major}.${HOST_VERSION.minor}.${HOST_VERSION.micro}`;
