import { printable } from '../texts/printable.js';

/** Prints to stdout; names and texts may come from apps and users. */
export function say(text: string): void {
  process.stdout.write(`${printable(text)}\n`);
}

/** The option of all commands that list or show something. */
export const AS_JSON = ['--json', 'print JSON'] as const;

export interface AsJson {
  readonly json?: true | undefined;
}

/** Prints a value for programs, or its text for people. */
export function show(value: unknown, { json }: AsJson, text: () => string): void {
  say(json ? JSON.stringify(value, null, 2) : text());
}

/** Prints a list, with a column per heading. @param nothing text for people if it is empty */
export function showList<Row>(
  rows: readonly Row[],
  options: AsJson,
  columns: Readonly<Record<string, (row: Row) => string>>,
  nothing?: string,
): void {
  const cellsOf = Object.values(columns);
  show(rows, options, () =>
    rows.length === 0 && nothing !== undefined
      ? nothing
      : table([Object.keys(columns), ...rows.map((row) => cellsOf.map((cell) => cell(row)))]),
  );
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
