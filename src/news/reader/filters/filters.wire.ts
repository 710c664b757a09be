import { z } from 'zod';
import type { Filter } from './filters.repository.js';

/**
 * A feed without a filter gets empty texts and no id: clients read the texts unchecked.
 *
 * @see docs/news-api.md "Beyond the specification"
 */
export function toFilterJson(feedId: number, filter: Filter | null): object {
  return {
    ...(filter === null ? {} : { id: filter.id }),
    feedId,
    titleKeywords: filter?.titleKeywords ?? '',
    bodyKeywords: filter?.bodyKeywords ?? '',
    urlKeywords: filter?.urlKeywords ?? '',
  };
}

export const FilterAnswer = z.object({
  filter: z.object({
    id: z.int().optional(),
    feedId: z.int(),
    titleKeywords: z.string(),
    bodyKeywords: z.string(),
    urlKeywords: z.string(),
  }),
});
