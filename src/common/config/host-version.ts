import type { Config } from './config.js';

/** The Nextcloud release that the interfaces correspond to. */
export interface HostVersion {
  readonly major: number;
  readonly minor: number;
  readonly micro: number;
  /** `major.minor.micro` */
  readonly text: string;
}

/** Constant, since clients compare only the major version. */
const MICRO = 16;

/**
 * The version for clients, which compare it with Nextcloud releases to choose features: from 29
 * external apps register settings forms, from 30 task processing instead of the older providers, from
 * 31 they download folders over WebDAV, from 33 they fetch tasks in batches and are triggered.
 *
 * @see docs/app-api-reference.md "The version that the host claims"
 */
export function hostVersion({
  claimedVersion: major,
}: Pick<Config, 'claimedVersion'>): HostVersion {
  return { major, minor: 0, micro: MICRO, text: `${major}.0.${MICRO}` };
}
