import { preferences } from './preferences.js';

/** The service keeps no more. */
const MOST_FEEDS = 2000;

export function isWebPage(url: string | null | undefined): url is string {
  return /^https?:/i.test(url ?? '');
}

/** Opens the page of a publisher, which learns nothing about this page. */
export function openPage(url: string): void {
  window.open(url, '_blank', 'noopener,noreferrer');
}

/** Whether the articles of a feed open at their website instead of here. */
export function opensAtWebsite(feedId: number): boolean {
  return preferences.originalFeedIds.includes(feedId);
}

export function setOpensAtWebsite(feedId: number, isOn: boolean): void {
  if (isOn !== opensAtWebsite(feedId)) {
    const others = preferences.originalFeedIds.filter((id) => id !== feedId);
    preferences.originalFeedIds = isOn ? [...others, feedId].slice(-MOST_FEEDS) : others;
  }
}
