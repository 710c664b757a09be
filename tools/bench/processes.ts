import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

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

/**
 * Memory in MiB of a process and its descendants: the sum of their proportional shares, so that pages
 * that several of them use count once.
 */
export function memoryMibOfTree(pid: number): number {
  const shares = tree(pid).map((member) => {
    const rollup = textOf(`/proc/${member}/smaps_rollup`) ?? '';
    return Number(/^Pss:\s+(\d+)/m.exec(rollup)?.[1] ?? 0);
  });
  return shares.reduce((sum, kib) => sum + kib, 0) / 1024;
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
