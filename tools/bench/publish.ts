import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import { fileURLToPath } from 'node:url';

const PAGE = fileURLToPath(new URL('../../docs/performance.md', import.meta.url));

/** Before the program adds to it. */
const [load = 0] = os.loadavg();

/**
 * Replaces the figures of a group in docs/performance.md: the text between the comments `figures: GROUP`
 * and `end of figures`. Names the commit, the day, the machine, and how busy that was before.
 *
 * @param lines of Markdown
 */
export function publish(group: string, lines: readonly string[]): void {
  const text = readFileSync(PAGE, 'utf8');
  const begin = `<!-- figures: ${group} -->`;
  const from = text.indexOf(begin);
  const to = text.indexOf('<!-- end of figures -->', from);
  if (from === -1 || to === -1) {
    throw new Error(`docs/performance.md has no place for figures of "${group}".`);
  }
  const head = text.slice(0, from + begin.length);
  writeFileSync(PAGE, `${head}\n\n${conditions()}\n\n${lines.join('\n')}\n\n${text.slice(to)}`);
}

function conditions(): string {
  const git = (...words: string[]) => execFileSync('git', words, { encoding: 'utf8' }).trim();
  const changed =
    git('status', '--porcelain', '--', 'src', 'web/src') === '' ? '' : ' with changes';
  const day = new Date().toISOString().slice(0, 10);
  const processors = os.cpus();
  const machine = `${processors.length} cores (${processors[0]?.model.trim()})`;
  return `Commit ${git('rev-parse', '--short=8', 'HEAD')}${changed}, ${day}, ${machine}, load ${load.toFixed(1)} before.`;
}
