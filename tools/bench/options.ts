/** A number behind `--name` of the command line. */
export function numberOption(name: string, fallback: number): number {
  const text = textOption(name);
  const value = Number(text ?? fallback);
  if (!Number.isFinite(value) || value < 0) {
    throw new Error(`${name} must be a number, but is "${text}".`);
  }
  return value;
}

/** Value of `--name` on the command line. */
export function textOption(name: string): string | undefined {
  const at = process.argv.indexOf(name);
  return at === -1 ? undefined : process.argv[at + 1];
}
