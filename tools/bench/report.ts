import { writeFileSync } from 'node:fs';
import type { Cost } from './measure.js';
import { textOption } from './options.js';
import { publish } from './publish.js';

/** A figure of each service, for instance 2.3 `ms` per `feed`. */
export interface Figure {
  readonly group: string;
  readonly name: string;
  readonly unit: string;
  /** In the order of the services; undefined where it could not be measured. */
  readonly values: readonly (number | undefined)[];
  /** How many units were measured to get the values. */
  readonly count: number;
}

/** Rows that are printed, and not published. */
const PARTS =
  /^ +(of the (service|program|background)|of PostgreSQL|SQL statements|CPU|wall time|claimed|nearest requests|article|items?|source)\b/;

const SLOWER = 1.3;
const NOISE_MS = 150;
const MORE_STATEMENTS = 1.15;
const NOISE_STATEMENTS = 40;
const MORE_MEMORY = 1.2;
const NOISE_MIB = 20;

/** Prints figures as they come, with the ratio of the first two services. */
export class Report {
  readonly figures: Figure[] = [];
  readonly #details = new Map<string, string>();
  #group = '';

  /**
   * @param names of the services, or programs, that are compared
   * @param aims of figures by name; "0.5 x" is one of the ratio
   */
  constructor(
    private readonly names: readonly string[],
    private readonly aims: Readonly<Record<string, string>> = {},
  ) {}

  /** Begins a table. */
  begin(group: string, detail: string): void {
    this.#group = group;
    this.#details.set(group, detail);
    print(`\n${group}: ${detail}`);
    print(row('', ...this.names, ...(this.names.length > 1 ? ['ratio'] : [])));
  }

  add(name: string, unit: string, values: readonly (number | undefined)[], count = 1): void {
    this.figures.push({ group: this.#group, name, unit, values, count });
    const ratio = this.names.length > 1 ? [ratioOf(values)] : [];
    print(row(`${name}, ${unit}`, ...values.map(rounded), ...ratio));
  }

  /**
   * CPU time, its parts, wall time and statements.
   *
   * @param each how many units each repetition had
   * @param repetitions whose sum the costs are
   */
  addCosts(
    name: string,
    costs: readonly Cost[],
    each: number,
    unit: string,
    repetitions = 1,
  ): void {
    const count = each * repetitions;
    const per = (figure: (cost: Cost) => number | undefined) =>
      costs.map((cost) => {
        const value = figure(cost);
        return value === undefined ? undefined : value / count;
      });
    this.add(
      name,
      `CPU ms per ${unit}`,
      per(({ serviceMs, databaseMs }) => serviceMs + (databaseMs ?? 0)),
      count,
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
      count,
    );
    this.add(
      '  wall time of all',
      's',
      costs.map((cost) => cost.wallMs / 1000 / repetitions),
    );
  }

  /**
   * Rows in which the first of two builds took clearly more CPU time, statements or memory than the second: by
   * ratio, and by more than occasional background work.
   */
  slower(): { readonly name: string; readonly what: string; readonly ratio: number }[] {
    let heading = '';
    return this.figures.flatMap(({ group, name, unit, values, count }) => {
      heading = name.startsWith(' ') ? heading : `${group}, ${name}`;
      const [mine = 0, theirs = 0] = values;
      const ratio = mine / theirs;
      const inAll = (mine - theirs) * count;
      const isCpu = unit.startsWith('CPU ms per');
      const isStatements = name.trim() === 'SQL statements';
      const isMemory = name.startsWith('memory');
      const isSlower =
        (isCpu && ratio > SLOWER && inAll > NOISE_MS) ||
        (isStatements && ratio > MORE_STATEMENTS && inAll > NOISE_STATEMENTS) ||
        (isMemory && ratio > MORE_MEMORY && inAll > NOISE_MIB);
      const what = isCpu ? 'CPU time' : isMemory ? 'memory' : 'SQL statements';
      return isSlower && theirs > 0 ? [{ name: heading, what, ratio }] : [];
    });
  }

  /** Writes the tables into docs/performance.md. */
  #publish(): void {
    for (const [group, detail] of this.#details) {
      const ratio = this.names.length > 1 ? ['ratio'] : [];
      const aim = Object.keys(this.aims).length > 0 ? ['aim'] : [];
      const cells = (values: readonly string[]) => `| ${values.join(' | ')} |`;
      const columns = ['', 'unit', ...this.names, ...ratio, ...aim];
      const figures = this.figures.filter(
        (figure) => figure.group === group && !PARTS.test(figure.name),
      );
      const rows = (aim.length === 0 ? figures : worstFirst(figures)).map(
        ({ name, unit, values }) =>
          cells([
            name.startsWith(' ') ? `– ${name.trim()}` : name,
            unit,
            ...values.map(rounded),
            ...ratio.map(() => ratioOf(values)),
            ...aim.map(() => this.aims[name] ?? ''),
          ]),
      );
      const line = cells(columns.map((_, n) => (n < 2 ? '---' : '--:')));
      publish(group, [`${detail}:`, '', cells(columns), line, ...rows]);
    }
  }

  /** As the options ask: `--json FILE`, and `--publish` for docs/performance.md. */
  keep(): void {
    const file = textOption('--json');
    if (file !== undefined) {
      const text = JSON.stringify({ names: this.names, figures: this.figures }, null, 2);
      writeFileSync(file, `${text}\n`);
    }
    if (process.argv.includes('--publish')) {
      this.#publish();
    }
  }
}

/** By ratio; only throughput is better when it is higher. */
function worstFirst(figures: readonly Figure[]): readonly Figure[] {
  const badness = ({ unit, values: [mine = 0, other = 0] }: Figure) =>
    unit.endsWith('per s') ? other / mine : mine / other;
  return figures.toSorted((one, two) => badness(two) - badness(one));
}

export function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

function ratioOf([mine, other]: readonly (number | undefined)[]): string {
  return mine === undefined || !other ? '-' : (mine / other).toFixed(2);
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
