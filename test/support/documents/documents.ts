import { globSync, readFileSync } from 'node:fs';

const ROOT = new URL('../../../', import.meta.url);

export const readDocument = (path: string) => readFileSync(new URL(path, ROOT), 'utf8');

/** Documents for people, from the root of the repository. */
export const DOCUMENTS = globSync(
  ['*.md', 'docs/**/*.md', 'src/**/README.md', 'examples/**/*.md', 'web/*.md'],
  { cwd: ROOT.pathname },
);

/** A block of code of a document. */
export interface Block {
  /** What stands after the fence, such as `sh`. */
  readonly kind: string;
  readonly text: string;
}

export function blocksOf(path: string): Block[] {
  return [...readDocument(path).matchAll(/^ *```(.*)\n([\s\S]*?)^ *```$/gm)].map(
    ([, kind = '', text = '']) => ({ kind, text }),
  );
}

/** The text without its blocks of code. */
export const proseOf = (path: string) => readDocument(path).replace(/^ *```[\s\S]*?^ *```$/gm, '');

/** What stands after `#` in links to the headings, as GitHub makes it. */
export function anchorsOf(path: string): string[] {
  const headings = [...proseOf(path).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => heading);
  const seen = new Map<string, number>();
  return headings.map((heading) => {
    const anchor = heading
      .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replace(/\s/g, '-');
    const before = seen.get(anchor) ?? 0;
    seen.set(anchor, before + 1);
    return before === 0 ? anchor : `${anchor}-${before}`;
  });
}

/** A line of a table of fields in docs/app-api*.md. */
export interface DocumentedField {
  /** Such as `formScheme.fields[].id`. */
  readonly path: string;
  readonly type: string;
  /** Undefined if the field is required. */
  readonly fallback: string | undefined;
}

/** An example of docs/app-api*.md. */
export interface ApiExample {
  /** Whether Gatefold calls the app. */
  readonly toApp: boolean;
  readonly method: string;
  readonly path: string;
  readonly json: unknown;
  /** Undefined if the document says nothing about it. */
  readonly answer: unknown;
}

/** The parts of a document that begin with a heading of the second level, by heading. */
export function sectionsOf(path: string): Map<string, string> {
  const [, ...parts] = readDocument(path).split(/^## /m);
  return new Map(parts.map((part) => [part.slice(0, part.indexOf('\n')), part]));
}

export function examplesIn(text: string): ApiExample[] {
  return [...text.matchAll(/^```http(.*)\n([\s\S]*?)^```$/gm)].flatMap(([, to, block = '']) =>
    block
      .trim()
      .split('\n\n')
      .map((example) => {
        const [request = '', answer = ''] = example.split(/^← /m);
        const [, method = '', path = '', body = ''] = /^(\w+) (\S+)([\s\S]*)$/.exec(request) ?? [];
        return { toApp: to !== '', method, path, json: parsed(body), answer: parsed(answer) };
      }),
  );
}

function parsed(text: string): unknown {
  return text.trim() === '' ? undefined : JSON.parse(text);
}

/** The lines of all tables of fields; `a.b`, `.c` means the field `a.b` and its neighbour `a.c`. */
export function fieldsIn(text: string): DocumentedField[] {
  const tables = [...text.matchAll(/^\| Field.*\n\|---.*\n((?:\|.*\n)+)/gm)];
  return tables.flatMap(([, rows = '']) =>
    [...rows.matchAll(/^\| (.*?) \| (.*) \|(?: (.*?))? \|$/gm)].flatMap(
      ([, names = '', type = '', fallback]) => {
        const [first = '', ...others] = [...names.matchAll(/`([^`]+)`/g)].map(
          ([, one = '']) => one,
        );
        const parent = first.slice(0, first.lastIndexOf('.') + 1);
        const paths = [first, ...others.map((one) => one.replace(/^\./, parent))];
        return paths.map((path) => ({ path, type, fallback }));
      },
    ),
  );
}
