import { writeFileSync } from 'node:fs';
import type { Cost } from './measure.js';

/** A figure of each service, for instance 2.3 `ms` per `feed`. */
export interface Figure {
  readonly group: string;
  readonly name: string;
  readonly unit: string;
  /** In the order of the services; undefined where it could not be measured. */
  readonly values: readonly (number | undefined)[];
}

/** Prints figures as they come, with the ratio of the first two services. */
export class Report {
  readonly figures: Figure[] = [];
  #group = '';

  /** @param names of the services, or programs, that are compared */
  constructor(private readonly names: readonly string[]) {}

  /** Begins a table. */
  begin(group: string, detail: string): void {
    this.#group = group;
    print(`\n${group}: ${detail}`);
    print(row('', ...this.names, ...(this.names.length > 1 ? ['ratio'] : [])));
  }

  add(name: string, unit: string, values: readonly (number | undefined)[]): void {
    this.figures.push({ group: this.#group, name, unit, values });
    const [mine, other] = values;
    const ratio = mine === undefined || !other ? '-' : (mine / other).toFixed(2);
    print(
      row(`${name}, ${unit}`, ...values.map(rounded), ...(this.names.length > 1 ? [ratio] : [])),
    );
  }

  /**
   * CPU time, its parts, wall time and statements.
   *
   * @param count the costs are given per one of this many `units`
   */
  addCosts(name: string, costs: readonly Cost[], count: number, unit: string): void {
    const per = (figure: (cost: Cost) => number | undefined) =>
      costs.map((cost) => {
        const value = figure(cost);
        return value === undefined ? undefined : value / count;
      });
    this.add(
      name,
      `CPU ms per ${unit}`,
      per(({ serviceMs, databaseMs }) => serviceMs + (databaseMs ?? 0)),
    );
    this.add(
      '  of the service',
      'CPU ms',
      per((cost) => cost.serviceMs),
    );
    this.add(
      '  of PostgreSQL',
      'CPU ms',
      per((cost) => cost.databaseMs),
    );
    this.add(
      '  SQL statements',
      `per ${unit}`,
      per((cost) => cost.statements),
    );
    this.add(
      '  wall time of all',
      's',
      costs.map((cost) => cost.wallMs / 1000),
    );
  }

  /** Writes all figures as JSON, for tables made by other programs. */
  writeTo(file: string): void {
    writeFileSync(
      file,
      `${JSON.stringify({ names: this.names, figures: this.figures }, null, 2)}\n`,
    );
  }
}

export function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

function rounded(value: number | undefined): string {
  if (value === undefined) {
    return '-';
  }
  return value >= 100 ? value.toFixed(0) : value.toFixed(value >= 10 ? 1 : 2);
}

function row(...cells: string[]): string {
  return cells.map((cell, n) => (n === 0 ? cell.padEnd(52) : cell.padStart(10))).join('');
}
