/** What can be published: lists, and one article. */
export const LIST_KINDS = ['folder', 'label', 'search', 'board', 'starred', 'item'] as const;

export type ListKind = (typeof LIST_KINDS)[number];
