import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** A table after the word that makes it one, with a list's further ones. Nothing of it is skipped. */
const NAMED =
  /\b(?:from|join|update|into|using)\s+(?:only\s+)?(?=(\w+(?:\s+(?:as\s+)?\w+)?(?:\s*,\s*\w+(?:\s+(?:as\s+)?\w+)?)*))/gi;

let owners;

/** The file with the entity of each table of the repository: table → path. */
function ownersOf(root) {
  owners ??= new Map(
    readdirSync(path.join(root, 'src'), { recursive: true, encoding: 'utf8' })
      .map((file) => `src/${file.split(path.sep).join('/')}`)
      .filter((file) => file.endsWith('.ts') && !file.endsWith('.spec.ts'))
      .flatMap((file) => {
        const text = readFileSync(path.join(root, file), 'utf8');
        return [...text.matchAll(/ extends entityOf\(\s*'(\w+)'/g)].map(([, table]) => [
          table,
          file,
        ]);
      }),
  );
  return owners;
}

/** Names after `from`, `join`, `update`, `into` and `using` of an SQL text. */
function namesIn(sql) {
  return [...sql.matchAll(NAMED)].flatMap(([, list]) =>
    list.split(',').map((one) => one.trim().split(/\s/)[0]),
  );
}

/**
 * Calls `check` with each table that a text of the file names, and the file of its entity. Where SQL stands, a
 * string may be the name of a table, for a statement with a gap; without `_` it may be any word.
 */
export function onTable(context, holdsSql, check) {
  const all = ownersOf(context.cwd);
  const look = (node, names) => {
    for (const table of new Set(names)) {
      if (all.has(table)) {
        check(node, table, all.get(table));
      }
    }
  };
  return {
    Literal(node) {
      if (typeof node.value === 'string') {
        const isName = holdsSql && node.value.includes('_');
        look(node, isName ? [node.value, ...namesIn(node.value)] : namesIn(node.value));
      }
    },
    TemplateLiteral: (node) =>
      look(node, namesIn(node.quasis.map(({ value }) => value.raw).join('?'))),
  };
}
