import { printable } from '../texts/printable.js';
import { Turns } from '../turns.js';
import { terminal } from './terminal.js';

/** Prints to stdout; names and texts may come from apps and users. */
export function say(text: string): void {
  terminal().stdout.write(`${printable(text)}\n`);
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

/** Prints a list, with a column per heading; in turns. @param nothing text for people if it is empty */
export async function showList<Row>(
  rows: readonly Row[],
  options: AsJson,
  columns: Readonly<Record<string, (row: Row) => string>>,
  nothing?: string,
): Promise<void> {
  if (options.json || (rows.length === 0 && nothing !== undefined)) {
    show(rows, options, () => nothing ?? '');
    return;
  }
  const turns = new Turns();
  const cellsOf = Object.values(columns);
  const cells = await turns.map(rows, (row) => cellsOf.map((cell) => cell(row)));
  const all = [Object.keys(columns), ...cells];
  const widths = widthsOf(all);
  say((await turns.map(all, (row) => aligned(row, widths))).join('\n'));
}

/** Formats rows as aligned columns. */
export function table(rows: readonly (readonly string[])[]): string {
  const widths = widthsOf(rows);
  return rows.map((row) => aligned(row, widths)).join('\n');
}

function widthsOf(rows: readonly (readonly string[])[]): number[] {
  const widths: number[] = [];
  for (const row of rows) {
    row.forEach((cell, column) => (widths[column] = Math.max(widths[column] ?? 0, cell.length)));
  }
  return widths;
}

function aligned(row: readonly string[], widths: readonly number[]): string {
  return row
    .map((cell, column) => cell.padEnd(widths[column] ?? 0))
    .join('  ')
    .trimEnd();
}
