import DOMPurify from 'dompurify';

const purifier = DOMPurify(window);

/** Second line of defence: the service has already sanitized the HTML. */
const OPTIONS = {
  USE_PROFILES: { html: true, mathMl: true },
  FORBID_TAGS: [
    'style',
    'form',
    'input',
    'button',
    'select',
    'option',
    'textarea',
    'dialog',
    'map',
  ],
  FORBID_ATTR: ['style', 'name', 'class', 'usemap', 'contenteditable', 'tabindex', 'popover'],
  ALLOW_DATA_ATTR: false,
  ALLOW_ARIA_ATTR: false,
};

/** Prefix that the service adds to element ids, so that they cannot clash with the page's. */
const PLACE_PREFIX = 'user-content-';

/** Sanitizes the HTML of an article for display. @param baseUrl address of the article */
export function safeHtml(html: string, baseUrl: string | null): string {
  const template = document.createElement('template');
  template.innerHTML = purifier.sanitize(framesToLinks(html), OPTIONS);
  const body = template.content;
  for (const place of body.querySelectorAll('[id]')) {
    if (!place.id.startsWith(PLACE_PREFIX)) {
      place.removeAttribute('id');
    }
  }
  for (const medium of body.querySelectorAll('[src], [srcset], [poster]')) {
    keepFromOwnOrigin(medium);
  }
  for (const link of body.querySelectorAll('a')) {
    openElsewhere(link, baseUrl);
  }
  for (const picture of body.querySelectorAll('img')) {
    picture.loading = 'lazy';
    picture.referrerPolicy = 'no-referrer';
    picture.alt ||= '';
  }
  for (const medium of body.querySelectorAll<HTMLMediaElement>('audio, video')) {
    medium.controls = true;
    medium.autoplay = false;
    medium.preload = 'none';
  }
  for (const text of body.querySelectorAll('pre')) {
    // Long lines scroll, also by keyboard.
    text.tabIndex = 0;
  }
  for (const table of body.querySelectorAll('table')) {
    table.className = isData(table) ? 'data' : 'layout';
    if (!isNested(table)) {
      frameWide(table);
    }
  }
  return template.innerHTML;
}

/** Lets a wide table scroll horizontally. */
function frameWide(table: HTMLTableElement): void {
  const frame = document.createElement('div');
  frame.className = 'wide';
  frame.tabIndex = 0;
  table.replaceWith(frame);
  frame.append(table);
}

function isNested(table: HTMLTableElement): boolean {
  return table.parentElement !== null && table.parentElement.closest('table') !== null;
}

/** Contents of layout tables that data tables rarely have. */
const LAYOUT_CONTENTS = 'table, h1, h2, h3, h4, hr';

/** Newsletters use tables for layout; those have neither headings nor columns. */
function isData(table: HTMLTableElement): boolean {
  if (table.querySelector(LAYOUT_CONTENTS) !== null) {
    return false;
  }
  const hasHeading = table.querySelector('th, caption, thead') !== null;
  const hasColumns = [...table.rows].filter((row) => row.cells.length > 1).length > 1;
  return hasHeading || (hasColumns && !isNested(table));
}

function openElsewhere(link: HTMLAnchorElement, baseUrl: string | null): void {
  const href = link.getAttribute('href') ?? '';
  if (href.startsWith(`#${PLACE_PREFIX}`)) {
    link.removeAttribute('target');
    return;
  }
  if (href.startsWith('#')) {
    // The target is not in the article.
    if (baseUrl === null) {
      link.removeAttribute('href');
    } else {
      link.href = baseUrl.replace(/#.*$/, '') + href;
    }
  }
  link.target = '_blank';
  link.rel = 'noopener noreferrer';
}

/** Articles must not trigger requests to this service, which would carry the user's session (CSRF). */
function keepFromOwnOrigin(medium: Element): void {
  for (const name of ['src', 'srcset', 'poster']) {
    const addresses = (medium.getAttribute(name) ?? '').split(/,\s+|\s+/);
    const isOwn = (address: string): boolean =>
      URL.parse(address, location.href)?.origin === location.origin;
    if (addresses.some((address) => address !== '' && isOwn(address))) {
      medium.removeAttribute(name);
    }
  }
}

/** Replaces frames of other sites by links. */
function framesToLinks(html: string): string {
  if (!/<iframe/i.test(html)) {
    return html;
  }
  const template = document.createElement('template');
  template.innerHTML = html;
  for (const frame of template.content.querySelectorAll('iframe')) {
    const address = frame.getAttribute('src') ?? '';
    const link = document.createElement('a');
    link.href = address;
    link.textContent = URL.canParse(address) ? `▶ ${new URL(address).hostname}` : address;
    const paragraph = document.createElement('p');
    paragraph.append(link);
    frame.replaceWith(paragraph);
  }
  return template.innerHTML;
}
