import type { RouteLocationRaw } from 'vue-router';
import type { SearchPlace } from '../model/selection.js';

/** The page of a new rule with the condition of a search. A label is a condition of its own. */
export function ruleOfSearch(query: string, within?: SearchPlace): RouteLocationRaw {
  const place =
    within?.of === 'feed'
      ? { feed: within.feedId }
      : within?.of === 'folder'
        ? { folder: within.folderId }
        : {};
  return { path: '/apps/news/rules/new', query: { q: query, ...place } };
}
