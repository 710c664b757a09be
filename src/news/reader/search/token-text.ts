import type { TokenQuery } from '../../query/wanted-tokens.js';

/** The token of articles with too many words, which may match anything. */
export const ANY_WORD = '*';

/** A word in the text form of tsvector and tsquery. */
export const quoted = (token: string) => `'${token.replace(/['\\]/g, '$&$&')}'`;

/** The text of a tsquery; null for everything. */
export function tsqueryOf(query: TokenQuery): string | null {
  const written = writtenQuery(query);
  return written === null ? null : `${written} | ${quoted(ANY_WORD)}`;
}

function writtenQuery(query: TokenQuery): string | null {
  switch (query.kind) {
    case 'everything': {
      return null;
    }
    case 'token':
    case 'prefix': {
      return `${quoted(query.token)}${query.kind === 'prefix' ? ':*' : ''}`;
    }
    default: {
      const parts = query.of.map(writtenQuery);
      const known = parts.filter((part) => part !== null);
      const isAll = known.length === parts.length;
      if (known.length === 0 || (query.kind === 'or' && !isAll)) {
        return null;
      }
      return `(${known.join(query.kind === 'and' ? ' & ' : ' | ')})`;
    }
  }
}
