import { shallowRef } from 'vue';
import { requestJson } from '../../host/http.js';
import { addressOf } from '../../host/page-context.js';
import { change, NEWS_ROOT } from './news-request.js';

export const COLOURS = ['yellow', 'green', 'blue', 'pink'] as const;

/** Words of a text, with what stands around them: W3C's text quote selector. */
export interface Quote {
  readonly exact: string;
  readonly prefix: string;
  readonly suffix: string;
  /** Where it stood: a hint. */
  readonly position: number;
}

/** A highlight; or, with an empty `exact`, the note of the article. */
export interface Highlight extends Quote {
  readonly id: number;
  readonly itemId: number;
  readonly colour: (typeof COLOURS)[number];
  readonly note: string | null;
}

export interface ListedHighlight extends Highlight {
  readonly feedId: number;
  readonly feedTitle: string;
  readonly title: string | null;
}

/** Highlights the selected words; null while none are selected. */
export const highlightSelection = shallowRef<(() => unknown) | null>(null);

const PATH = `${NEWS_ROOT}/highlights`;

export async function highlightsOf(itemId: number): Promise<readonly Highlight[]> {
  const path = `${NEWS_ROOT}/items/${itemId}/highlights`;
  return (await requestJson<{ highlights: Highlight[] }>(path)).highlights;
}

/** Newest first. @param afterId exclusive; 0 starts from the beginning */
export async function listHighlights(afterId: number, limit: number) {
  const query = { offset: afterId, batchSize: limit };
  return (await requestJson<{ highlights: ListedHighlight[] }>(PATH, { query })).highlights;
}

export const exportAddress = (format: 'markdown' | 'json') => addressOf(`${PATH}?format=${format}`);

export const addHighlight = async (
  itemId: number,
  given: Quote | Pick<Highlight, 'note'>,
): Promise<Highlight> =>
  (await change<{ highlight: Highlight }>('POST', `/items/${itemId}/highlights`, given)).highlight;

export const saveHighlight = ({ id, note, colour }: Pick<Highlight, 'id' | 'note' | 'colour'>) =>
  change('PUT', `/highlights/${id}`, { note, colour });

export const removeHighlight = (id: number) => change('DELETE', `/highlights/${id}`);
