import { InvalidArgumentError } from 'commander';

/** Parses the argument of a command that is a number without sign. */
export function wholeNumber(text: string): number {
  if (!/^\d{1,15}$/.test(text)) {
    throw new InvalidArgumentError('It must be a whole number.');
  }
  return Number(text);
}
