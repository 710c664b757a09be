import { InvalidArgumentError } from 'commander';

/** Parses an unsigned integer argument. */
export function wholeNumber(text: string): number {
  if (!/^\d{1,15}$/.test(text)) {
    throw new InvalidArgumentError('It must be a whole number.');
  }
  return Number(text);
}
