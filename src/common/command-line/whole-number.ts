import { InvalidArgumentError } from 'commander';

/** Parses an unsigned integer argument. */
export function wholeNumber(text: string): number {
  if (!/^\d{1,15}$/.test(text)) {
    throw new InvalidArgumentError('It must be a whole number.');
  }
  return Number(text);
}

/** @returns a parser of an integer argument within limits */
export function wholeNumberBetween(least: number, most: number): (text: string) => number {
  return (text) => {
    const number = wholeNumber(text);
    if (number < least || number > most) {
      throw new InvalidArgumentError(`It must be from ${least} to ${most}.`);
    }
    return number;
  };
}
