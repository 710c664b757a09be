const names = new Map<string, string>();

/**
 * Marks a statement that runs with nearly every request: each connection parses and plans it once.
 * For constants of modules only, so that their number is bounded by the source code.
 *
 * @param name unique in the program
 * @returns the statement itself
 */
export function prepared(name: string, sql: string): string {
  if ([...names.values()].includes(name)) {
    throw new Error(`There are two prepared statements with the name "${name}".`);
  }
  names.set(sql, name);
  return sql;
}

/** @returns undefined for statements that are not prepared */
export function preparedName(sql: string): string | undefined {
  return names.get(sql);
}

/**
 * Marks a statement that is composed of few constant parts, as `prepared` does.
 *
 * @param sql one of few texts, without values
 * @returns the statement itself
 */
export function preparedText(sql: string): string {
  names.set(sql, nameOfText(sql));
  return sql;
}

/** Statements composed of few parts, by text. */
const texts = new Map<string, string>();

/** @param sql one of few texts, without values @returns the name under which connections keep it */
export function nameOfText(sql: string): string {
  const name = texts.get(sql) ?? `text ${texts.size + 1}`;
  texts.set(sql, name);
  return name;
}
