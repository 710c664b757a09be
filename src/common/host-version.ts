/**
 * The version that clients are told. They compare it with the releases of the host whose interfaces
 * we speak, to decide what to use: from 29 on external apps register settings forms, and from 30 on
 * they leave out the providers that our specification has.
 */
export const HOST_VERSION = { major: 29, minor: 0, micro: 16 } as const;

export const HOST_VERSION_TEXT = `${HOST_VERSION.major}.${HOST_VERSION.minor}.${HOST_VERSION.micro}`;
