import { printable } from '../texts/printable.js';

/** Prints to stdout. Names and texts of apps and users are among what is printed. */
export function say(text: string): void {
  process.stdout.write(`${printable(text)}\n`);
}

/** Formats rows as aligned columns. */
export function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  );
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
