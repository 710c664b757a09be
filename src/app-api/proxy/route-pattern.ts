import { RE2JS, RE2JSException } from 're2js';

const MAX_PATTERN_LENGTH = 512;

/** The work of a match is at most this times the length of the path. */
const MAX_PROGRAM_SIZE = 500;

/** Compiled patterns kept for the next request; those of a few dozen apps. */
const MOST_COMPILED = 1000;

/** What apps declare about their paths: matched against the whole path, in any letter case. */
export interface RoutePattern {
  matches(path: string): boolean;
}

/**
 * Why a pattern for paths cannot be taken; null when it can. Patterns run for every request that
 * passes through the gateway, by an engine whose time grows with the length of the path alone. It
 * knows the syntax of RE2: no look-ahead, no look-behind, no reference back to a group.
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

/** @returns null for what cannot be taken: it opens nothing */
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

/** @returns a sentence without its subject when the pattern cannot be taken */
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

/** @param message of the engine */
function faultOf(pattern: string, message: string): string {
  if (/\(\?<?[=!]/.test(pattern)) {
    return 'must not look ahead or behind';
  }
  return /escape sequence: `\\[1-9k]/.test(message)
    ? 'must not refer back to a group'
    : `is not a regular expression in RE2 syntax: ${message}`;
}
