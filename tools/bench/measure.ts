import { performance } from 'node:perf_hooks';
import type { DatabaseServer } from './database-server.js';
import type { MeasuredProgram, MeasuredService } from './service.js';

/** Resources used by a piece of work. */
export interface Cost {
  readonly wallMs: number;
  /** CPU time of all processes of the service. */
  readonly serviceMs: number;
  /** CPU time of all processes of the database server, undefined if it runs elsewhere. */
  readonly databaseMs: number | undefined;
  /** Statements of the service, undefined if the database server does not count them. */
  readonly statements: number | undefined;
}

export function cpuOf({ serviceMs, databaseMs = 0 }: Cost): number {
  return serviceMs + databaseMs;
}

/** @param work may return a wall time of its own, in milliseconds */
export async function costOf(
  server: DatabaseServer,
  program: MeasuredProgram,
  work: () => Promise<number | void>,
): Promise<Cost> {
  const statements = async () => {
    const all = await server.statements(program.databaseName);
    return all === undefined ? undefined : all - program.ownStatements;
  };
  const before = {
    statements: await statements(),
    databaseMs: server.processorMs(),
    serviceMs: program.processorMs(),
  };
  const began = performance.now();
  const wallMs = await work();
  const ended = performance.now();
  return {
    wallMs: typeof wallMs === 'number' ? wallMs : ended - began,
    serviceMs: program.processorMs() - before.serviceMs,
    databaseMs: difference(server.processorMs(), before.databaseMs),
    statements: difference(await statements(), before.statements),
  };
}

/**
 * Measures the work once per service and pass, while the other services stand still. Every other pass is in
 * the reverse order, since the first one also warms up shared caches.
 *
 * @returns the sum of each service; statements are taken from the pass with the fewest, for each pass,
 *   since occasional background work comes on top
 */
export async function inTurns(
  server: DatabaseServer,
  services: readonly MeasuredService[],
  passes: number,
  work: (service: MeasuredService, pass: number) => Promise<number | void>,
): Promise<Cost[]> {
  const costs = services.map((): Cost[] => []);
  for (let pass = 0; pass < passes; pass += 1) {
    const order = [...services.keys()];
    for (const index of pass % 2 === 0 ? order : order.toReversed()) {
      const service = services[index];
      if (service !== undefined) {
        const measured = await alone(services, service, () =>
          costOf(server, service, () => work(service, pass)),
        );
        costs[index]?.push(measured);
      }
    }
  }
  return costs.map((passesOfOne) => {
    const statements = passesOfOne.map((cost) => cost.statements ?? NaN);
    const fewest = Math.min(...statements);
    return {
      ...sumOf(passesOfOne),
      statements: Number.isNaN(fewest) ? undefined : fewest * passesOfOne.length,
    };
  });
}

/** Suspends the other programs during the work. */
export async function alone<Result>(
  services: readonly MeasuredProgram[],
  service: MeasuredProgram,
  work: () => Promise<Result>,
): Promise<Result> {
  const others = services.filter((one) => one !== service);
  for (const other of others) {
    other.suspend();
  }
  try {
    return await work();
  } finally {
    for (const other of others) {
      other.resume();
    }
  }
}

export function sumOf(costs: readonly Cost[]): Cost {
  const sum = (figures: readonly (number | undefined)[]) =>
    figures.reduce<number | undefined>(
      (total, one) => (total === undefined || one === undefined ? undefined : total + one),
      0,
    );
  return {
    wallMs: sum(costs.map((cost) => cost.wallMs)) ?? 0,
    serviceMs: sum(costs.map((cost) => cost.serviceMs)) ?? 0,
    databaseMs: sum(costs.map((cost) => cost.databaseMs)),
    statements: sum(costs.map((cost) => cost.statements)),
  };
}

export function median(figures: readonly number[]): number {
  return quantile(figures, 0.5);
}

/** @param share 0.99 for the figure that one in a hundred exceeds */
export function quantile(figures: readonly number[], share: number): number {
  const sorted = figures.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

function difference(after: number | undefined, before: number | undefined): number | undefined {
  return after === undefined || before === undefined ? undefined : after - before;
}
