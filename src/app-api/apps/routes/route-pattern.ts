import { RE2JS, RE2JSException } from 're2js';

const MAX_PATTERN_LENGTH = 512;

/** A match takes at most this many steps per character of the path. */
const MAX_PROGRAM_SIZE = 500;

/** Compiled patterns in the cache; enough for a few dozen apps. */
const MOST_COMPILED = 1000;

/** Matches whole paths, in any letter case. */
interface RoutePattern {
  matches(path: string): boolean;
}

/**
 * Validates a pattern for paths. Patterns run for every proxied request, in RE2, whose time is linear in
 * the length of the path; it has no look-ahead, look-behind or back-references.
 *
 * @returns why the pattern is invalid, or null
 *
 * @see https://github.com/google/re2/wiki/Syntax
 */
export function faultOfRoutePattern(pattern: string): string | null {
  if (pattern === '' || pattern.length > MAX_PATTERN_LENGTH) {
    return `must have 1 to ${MAX_PATTERN_LENGTH} characters`;
  }
  const compiled = compile(pattern);
  return typeof compiled === 'string' ? compiled : null;
}

const compiledPatterns = new Map<string, RoutePattern | null>();

/** @returns null for an invalid pattern, which matches nothing */
export function routePattern(pattern: string): RoutePattern | null {
  const known = compiledPatterns.get(pattern);
  if (known !== undefined) {
    return known;
  }
  const compiled = compile(pattern);
  const usable = typeof compiled === 'string' ? null : { matches: matcherOf(compiled) };
  if (compiledPatterns.size >= MOST_COMPILED) {
    compiledPatterns.clear();
  }
  compiledPatterns.set(pattern, usable);
  return usable;
}

function matcherOf(compiled: RE2JS): (path: string) => boolean {
  return (path) => compiled.testExact(path);
}

/** @returns the compiled pattern, or why it is invalid */
function compile(pattern: string): RE2JS | string {
  try {
    const compiled = RE2JS.compile(RE2JS.translateRegExp(pattern), RE2JS.CASE_INSENSITIVE);
    return compiled.programSize() > MAX_PROGRAM_SIZE
      ? `is too large: repetitions with counts must not multiply beyond ${MAX_PROGRAM_SIZE} steps`
      : compiled;
  } catch (error) {
    if (error instanceof RE2JSException) {
      return faultOf(pattern, error.message);
    }
    throw error;
  }
}

function faultOf(pattern: string, message: string): string {
  if (/\(\?<?[=!]/.test(pattern)) {
    return 'must not look ahead or behind';
  }
  return /escape sequence: `\\[1-9k]/.test(message)
    ? 'must not refer back to a group'
    : `is not a regular expression in RE2 syntax: ${message}`;
}
