import { compareVersions, validate } from 'compare-versions';

/** Longer texts are not versions. */
const LONGEST_VERSION = 32;

/**
 * Whether `version` follows `known` in semantic versioning, with up to four numbers. A text that is
 * not a version is never newer.
 */
export function isNewerVersion(version: string, known: string): boolean {
  return (
    version.length <= LONGEST_VERSION &&
    [version, known].every((text) => /^v?\d/.test(text) && validate(text)) &&
    compareVersions(version, known) > 0
  );
}
