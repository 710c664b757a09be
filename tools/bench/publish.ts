import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const PAGE = fileURLToPath(new URL('../../docs/performance.md', import.meta.url));

/**
 * Replaces the figures of a group in docs/performance.md: the text between the comments `figures: GROUP`
 * and `end of figures`.
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
  writeFileSync(PAGE, `${head}\n\n${lines.join('\n')}\n\n${text.slice(to)}`);
}
