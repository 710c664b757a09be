import { secondsOf } from './time-text.js';

const TIMESTAMP = /(?<![\d:.])(?:\d{1,2}:)?\d{1,2}:\d{2}(?![\d:])/g;
/** Limit of a list of chapters. */
const MOST_TIMESTAMPS = 300;

/** Makes times such as `00:12:34` in an article's text buttons, with `data-seconds`. */
export function linkTimestamps(root: HTMLElement): void {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT, (node) =>
    node.parentElement?.closest('a, button, pre, code') === null
      ? NodeFilter.FILTER_ACCEPT
      : NodeFilter.FILTER_REJECT,
  );
  const texts: Text[] = [];
  while (walker.nextNode() !== null) {
    texts.push(walker.currentNode as Text);
  }
  let left = MOST_TIMESTAMPS;
  for (const text of texts) {
    for (const match of [...text.data.matchAll(TIMESTAMP)].toReversed()) {
      const seconds = secondsOf(match[0]);
      if (seconds !== null && left > 0) {
        left -= 1;
        const after = text.splitText(match.index);
        after.data = after.data.slice(match[0].length);
        const button = document.createElement('button');
        button.type = 'button';
        button.className = 'timestamp';
        button.dataset['seconds'] = String(seconds);
        button.textContent = match[0];
        after.before(button);
      }
    }
  }
}
