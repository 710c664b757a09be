import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';

/*
 * CPU time and memory of processes, from proc(5), so Linux only.
 */

const TICKS_PER_SECOND = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));

/**
 * CPU time in milliseconds that a process and its descendants have used so far: all their threads, and
 * the children that have ended and were waited for.
 */
export function processorMsOfTree(pid: number): number {
  return tree(pid).reduce((sum, member) => sum + processorMsOf(member), 0);
}

function processorMsOf(pid: number): number {
  const fields = statOf(pid)?.map(Number) ?? [];
  const msOf = (ticks: readonly number[]) =>
    (ticks.reduce((sum, one) => sum + one, 0) / TICKS_PER_SECOND) * 1000;
  // utime, stime, and the same of children that were waited for; 17 is the number of threads
  const [own, children] = [msOf(fields.slice(11, 13)), msOf(fields.slice(13, 15))];
  // A tick is 10 ms; this is in nanoseconds, but counts one thread.
  const precise = fields[17] === 1 ? textOf(`/proc/${pid}/schedstat`)?.split(' ')[0] : undefined;
  return (precise === undefined ? own : Number(precise) / 1e6) + children;
}

/** CPU time in milliseconds of the children of this process that have ended. */
export function processorMsOfEnded(): number {
  const [children = 0, system = 0] = statOf(process.pid)?.slice(13, 15).map(Number) ?? [];
  return ((children + system) / TICKS_PER_SECOND) * 1000;
}

/**
 * Memory in MiB of a process and its descendants. Of a single one all that it holds, as if it were alone: the
 * benchmark is a Node.js, too, which would take a share of the pages of its binary. Of several, the sum of their
 * proportional shares, so that pages that several of them use count once.
 */
export function memoryMibOfTree(pid: number): number {
  const members = tree(pid);
  const measure = members.length === 1 ? /^Rss:\s+(\d+)/m : /^Pss:\s+(\d+)/m;
  const shares = members.map((member) =>
    Number(measure.exec(textOf(`/proc/${member}/smaps_rollup`) ?? '')?.[1] ?? 0),
  );
  return shares.reduce((sum, kib) => sum + kib, 0) / 1024;
}

/** The most that a process itself holds during the work, in MiB. */
export async function peakMibOf(pid: number, work: () => Promise<void>): Promise<number> {
  writeFileSync(`/proc/${pid}/clear_refs`, '5');
  await work();
  return Number(/^VmHWM:\s+(\d+)/m.exec(textOf(`/proc/${pid}/status`) ?? '')?.[1] ?? 0) / 1024;
}

/** The parent of a process of this machine, or undefined if there is no such process. */
export function parentOf(pid: number): number | undefined {
  const fields = statOf(pid);
  return fields === undefined ? undefined : Number(fields[1]);
}

/** The name of the program of a process. */
export function programOf(pid: number): string | undefined {
  return textOf(`/proc/${pid}/comm`)?.trim();
}

function tree(root: number): readonly number[] {
  const children = new Map<number, number[]>();
  for (const name of readdirSync('/proc')) {
    const pid = Number(name);
    const parent = Number.isInteger(pid) ? parentOf(pid) : undefined;
    if (parent !== undefined) {
      children.set(parent, [...(children.get(parent) ?? []), pid]);
    }
  }
  const found = [root];
  for (const pid of found) {
    found.push(...(children.get(pid) ?? []));
  }
  return found;
}

/** The fields behind the name of the program; the first is the state. */
function statOf(pid: number): readonly string[] | undefined {
  return textOf(`/proc/${pid}/stat`)
    ?.replace(/^.*\) /s, '')
    .split(' ');
}

/** Undefined when the process has ended. */
function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
