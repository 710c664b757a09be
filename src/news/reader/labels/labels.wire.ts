import type { Label } from './labels.service.js';

/** @see docs/news-api.md "Labels" */
export function toLabelJson({ id, name, itemCount, unreadCount }: Label) {
  return { id, name, itemCount, unreadCount };
}
