import { Injectable } from '@nestjs/common';
import { setTimeout as delay } from 'node:timers/promises';
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { GATEFOLD_VERSION } from '../version.js';

/** Bounds the statements of several or impatient collectors. */
const KEPT_MS = 10_000;

/** A scrape does not wait longer for one of them. */
const PATIENCE_MS = 3000;

export interface Sample<Label extends string> {
  readonly labels: Partial<Record<Label, string>>;
  readonly value: number;
}

/** A gauge that is read from elsewhere. */
interface ReadGauge<Label extends string> {
  readonly name: string;
  readonly help: string;
  readonly labelNames?: readonly Label[];
}

/** Metrics of Node.js. Created once: they observe the whole process, and prom-client never stops that. */
let ofNode: Registry | undefined;

/**
 * The metrics of this process. Rooms add theirs, named `gatefold_<subject>_<unit>`; labels have few
 * values: never user ids, addresses or ids of rows.
 *
 * @see docs/operations/monitoring.md "Metrics"
 */
@Injectable()
export class Metrics {
  readonly registry: Registry;

  constructor() {
    if (ofNode === undefined) {
      collectDefaultMetrics({ register: (ofNode = new Registry()) });
    }
    this.registry = Registry.merge([ofNode]);
    const info = { name: 'gatefold_info', help: 'The version of this process; always 1.' };
    this.read({ ...info, labelNames: ['version'] }, () => [
      { labels: { version: GATEFOLD_VERSION }, value: 1 },
    ]);
  }

  /** Values of this process, read with each scrape. */
  read<Label extends string>(
    gauge: ReadGauge<Label>,
    values: () => readonly Sample<Label>[],
  ): void {
    this.#add(gauge, async () => values());
  }

  /**
   * Values of the installation that require statements: read when scraped, at most once in ten seconds. All
   * processes give the same values. An unreadable value is omitted.
   */
  readSeldom<Label extends string>(
    gauge: ReadGauge<Label>,
    values: () => Promise<readonly Sample<Label>[]>,
  ): void {
    let latest: Promise<readonly Sample<Label>[]> | undefined;
    let readAt = -Infinity;
    this.#add(gauge, async () => {
      if (performance.now() - readAt >= KEPT_MS) {
        readAt = performance.now();
        latest = values().catch(() => []);
      }
      return Promise.race([latest ?? [], delay(PATIENCE_MS, [], { ref: false })]);
    });
  }

  #add<Label extends string>(
    { name, help, labelNames = [] }: ReadGauge<Label>,
    samples: () => Promise<readonly Sample<Label>[]>,
  ): void {
    const gauge: Gauge<Label> = new Gauge({
      name,
      help,
      labelNames: [...labelNames],
      registers: [this.registry],
      collect: async () => {
        const found = await samples();
        gauge.reset();
        if (labelNames.length === 0 && found.length === 0) {
          // `reset` sets a gauge without labels to 0.
          gauge.remove();
        }
        for (const { labels, value } of found) {
          gauge.set(labels, value);
        }
      },
    });
  }
}
