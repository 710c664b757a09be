import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { APP_API_FUNCTIONS } from '../src/database/functions/app-api.ts';
import { tableOf } from '../src/database/functions/database-function.ts';
import { NEWS_FUNCTIONS } from '../src/database/functions/news.ts';
import { PLATFORM_FUNCTIONS } from '../src/database/functions/platform.ts';
import { ROWS } from './rows.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const MARK = /<!-- rows -->[\s\S]*?<!-- \/rows -->/;
const ALL = 'docs/architecture.md';
const MARK_OF_ALL = /<!-- rows of all -->[\s\S]*?<!-- \/rows of all -->/;
const MARK_OF_FUNCTIONS = /<!-- functions -->[\s\S]*?<!-- \/functions -->/;
const FUNCTIONS = {
  platform: PLATFORM_FUNCTIONS,
  'app-api': APP_API_FUNCTIONS,
  news: NEWS_FUNCTIONS,
};

/** Where each folder of `ROWS` is drawn: in the nearest README above it; `src` itself in CONTRIBUTING.md. */
export function documentOf(folder) {
  for (let at = folder; at !== '.'; at = path.dirname(at)) {
    if (statSync(path.join(ROOT, at, 'README.md'), { throwIfNoEntry: false })) {
      return `${at}/README.md`;
    }
  }
  return 'CONTRIBUTING.md';
}

/** The document with its rows as `ROWS` has them. */
export function withRows(document) {
  const text = readFileSync(path.join(ROOT, document), 'utf8');
  if (document === ALL) {
    const drawn = [...drawnBelow('src', 0), '', 'web/src:', ...drawnBelow('web/src', 1)];
    return text
      .replace(
        MARK_OF_ALL,
        `<!-- rows of all -->\n\n\`\`\`\n${drawn.join('\n')}\n\`\`\`\n\n<!-- /rows of all -->`,
      )
      .replace(
        MARK_OF_FUNCTIONS,
        () => `<!-- functions -->\n\n${drawnFunctions().join('\n')}\n\n<!-- /functions -->`,
      );
  }
  const drawn = Object.keys(ROWS)
    .filter((folder) => documentOf(folder) === document)
    .map((folder) => [folder, ...ROWS[folder].map((row) => `    ${row.replaceAll(' ', '   ')}`)]);
  return text.replace(
    MARK,
    `<!-- rows -->\n\n\`\`\`\n${drawn.flat().join('\n')}\n\`\`\`\n\n<!-- /rows -->`,
  );
}

/** Rows, with the rows of their folders below them, three folders deep. */
function drawnBelow(folder, depth) {
  return ROWS[folder].flatMap((row) => {
    const folders = row
      .split(' ')
      .filter((name) => ROWS[`${folder}/${name}`] !== undefined && depth < 2);
    return [
      `${'    '.repeat(depth)}${row.replaceAll(' ', '   ')}`,
      ...folders.flatMap((name) => [
        ...(folders.length > 1 ? [`${'    '.repeat(depth)}  ${name}:`] : []),
        ...drawnBelow(`${folder}/${name}`, depth + 1),
      ]),
    ];
  });
}

function drawnFunctions() {
  const rows = Object.entries(FUNCTIONS).flatMap(([room, functions]) =>
    functions.map(({ name, triggers = {}, onlyOn, readBy, reason }) => {
      const tables = Object.entries(triggers).map(
        ([trigger, when]) => `\`${trigger}\` (${tableOf(when)})`,
      );
      const when = [tables.join(', '), ...(onlyOn ? [`readers on ${onlyOn}`] : [])].join('; ');
      return `| ${room} | \`${name}\` | ${when} | \`${readBy}\` | ${reason} |`;
    }),
  );
  return [
    '| room | function | triggers (table) | read or called by | reason |',
    '| --- | --- | --- | --- | --- |',
    ...rows,
  ];
}

export const DOCUMENTS = [ALL, ...new Set(Object.keys(ROWS).map(documentOf))];

/** What is in a folder besides tests, documents and the module that lists it: folders, and `.` for files. */
export function subjectsIn(folder) {
  return readdirSync(path.join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
    if (entry.isDirectory()) {
      return [entry.name];
    }
    return /(?<!\.module|\.spec)\.(?:ts|vue)$/.test(entry.name) ? [entry.name] : [];
  });
}

// `npm run rows` writes the pictures, and the list of functions.
if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const document of DOCUMENTS) {
    writeFileSync(path.join(ROOT, document), withRows(document));
  }
}
