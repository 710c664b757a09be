/** What can be published: lists, and one article. */
export const LIST_KINDS = ['folder', 'label', 'search', 'starred', 'item'] as const;

export type ListKind = (typeof LIST_KINDS)[number];
