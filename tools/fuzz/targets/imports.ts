import fc from 'fast-check';
import { readdirSync, readFileSync } from 'node:fs';
import { parsed } from '../../../test/news/imports/parsed.js';
import { damaged, hostileMarkup } from '../hostile-documents.js';
import type { Target } from '../target.js';

const FILES = 'test/news/imports/files';

/** Any bytes are articles that can be stored, or are refused. */
export const importsTarget: Target = {
  name: 'imports',
  smokeRuns: 400,
  open: () => {
    const samples = readdirSync(FILES).map((name) => readFileSync(`${FILES}/${name}`, 'utf8'));
    const text = fc.oneof(hostileMarkup, damaged(samples));
    const property = fc.asyncProperty(text, async (document) => {
      const result = await parsed(document);
      for (const row of 'rows' in result ? result.rows : []) {
        const json = JSON.stringify(row);
        const isOfWeb = row.url === undefined ? row.guid : /^https?:\/\//.test(String(row.url));
        if (!isOfWeb || !json.isWellFormed() || json.includes('\\u0000')) {
          throw new Error(`A row that cannot be stored: ${json}`);
        }
      }
    });
    return Promise.resolve({ property, close: async () => {} });
  },
};
