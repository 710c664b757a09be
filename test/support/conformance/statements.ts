import { globSync, readFileSync } from 'node:fs';

/** A numbered statement of docs/conformance. */
export interface Statement {
  /** `N23` */
  readonly id: string;
  /** Markdown. */
  readonly text: string;
}

/** The documents with statements, by name, with their titles. */
export const STATED = ['news', 'gateway'] as const;

const ID = /(?<=\[|')[NG]\d+(?=\]|')/g;

export function statementsOf(name: (typeof STATED)[number]): readonly Statement[] {
  const rows = readFileSync(`docs/conformance/${name}.md`, 'utf8').matchAll(
    /^\| ([NG]\d+) \| (.*) \|$/gm,
  );
  return [...rows].map(([, id = '', text = '']) => ({ id, text }));
}

/** Spec files that name each statement, in alphabetical order. */
export function specsByStatement(): ReadonlyMap<string, readonly string[]> {
  const named = ['test', 'src']
    .flatMap((folder) => globSync(`${folder}/**/*.spec.ts`))
    .toSorted()
    .flatMap((file) =>
      [...new Set([...readFileSync(file, 'utf8').matchAll(ID)].map(([id]) => id))].map((id) => ({
        id,
        file,
      })),
    );
  return new Map(
    [...Map.groupBy(named, ({ id }) => id)].map(([id, ones]) => [id, ones.map(({ file }) => file)]),
  );
}

/** The titles of a spec file that name statements; `%s` stands for anything. */
export function titlesIn(file: string): readonly RegExp[] {
  const literals = readFileSync(file, 'utf8').matchAll(
    /'((?:[^'\\\n]|\\.)*)'|"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\]|\\.)*)`/g,
  );
  return [...literals]
    .map(([, single, double, back]) => (single ?? double ?? back ?? '').replace(/\\(.)/g, '$1'))
    .filter((title) => /\[(?:[NG]\d+|%s)\]/.test(title))
    .map((title) => {
      const escaped = withoutIds(title).replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
      return new RegExp(`^${escaped.replace(/%[a-z]|\\\$\w+/g, '.*')}$`);
    });
}

/** A title without the ids of statements, as in docs/conformance.md. */
export function withoutIds(title: string): string {
  return title.replace(/\[(?:[NG]\d+|%s)\] ?/g, '').trim();
}
