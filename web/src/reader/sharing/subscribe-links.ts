import { addressOf } from '../../host/page-context.js';

/** The reader's page that opens the dialog to add a feed with an address in it. */
export function subscribePage(): string {
  return new URL(addressOf('/apps/news/'), location.href).href;
}

/** A bookmark that offers the page one is on to the reader. */
export function bookmarklet(): string {
  const page = JSON.stringify(`${subscribePage()}?subscribe_to=`);
  return `javascript:void(location.href=${page}+encodeURIComponent(location.href))`;
}

/** `feed:` where the browser allows it for pages, which most do not. */
const SCHEMES = ['feed', 'web+feed'];

export function canHandleFeedLinks(): boolean {
  return typeof navigator.registerProtocolHandler === 'function';
}

/**
 * Asks the browser to open links to feeds here; it asks the visitor in turn.
 *
 * @returns whether the browser accepts one of the schemes
 */
export function handleFeedLinks(): boolean {
  return SCHEMES.map((scheme) => {
    try {
      navigator.registerProtocolHandler(scheme, `${subscribePage()}?subscribe_to=%s`);
      return true;
    } catch {
      return false;
    }
  }).includes(true);
}
