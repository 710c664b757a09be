import DOMPurify from 'dompurify';
import { showVideos, type CardTexts, type OwnVideo, type PictureAddress } from './video-cards.js';

const purifier = DOMPurify(window);

/** Second line of defence: the service has already sanitized the HTML. */
const OPTIONS = {
  USE_PROFILES: { html: true, mathMl: true, svg: true },
  ADD_TAGS: ['semantics', 'none'],
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
    // Parts of drawings that move, load or repeat.
    'animate',
    'animatecolor',
    'animatemotion',
    'animatetransform',
    'set',
    'image',
    'use',
    'filter',
    'mask',
    'pattern',
    'marker',
    'symbol',
    'switch',
    'desc',
    'title',
    'metadata',
  ],
  FORBID_ATTR: ['style', 'name', 'usemap', 'contenteditable', 'tabindex', 'popover'],
  ALLOWED_URI_REGEXP:
    /^(?:(?:https?|mailto|ftp|news|nntp|tel|magnet|xmpp|gemini):|[^a-z]|[a-z+.-]+(?:[^a-z+.\-:]|$))/i,
  ALLOW_DATA_ATTR: false,
  ALLOW_ARIA_ATTR: false,
};

/** Prefix that the service adds to element ids, so that they cannot clash with the page's. */
export const PLACE_PREFIX = 'user-content-';

export interface BodyOptions {
  /** Address of the article. */
  readonly baseUrl: string | null;
  readonly pictureAddress: PictureAddress;
  readonly ownVideo: OwnVideo | null;
  readonly texts: CardTexts & { readonly enlarge: (description: string) => string };
}

/** Sanitizes the HTML of an article for display. */
export function safeHtml(
  html: string,
  { baseUrl, pictureAddress, ownVideo, texts }: BodyOptions,
): string {
  const template = document.createElement('template');
  template.innerHTML = purifier.sanitize(framesToLinks(html), OPTIONS);
  const body = template.content;
  for (const place of body.querySelectorAll('[id]')) {
    if (!place.id.startsWith(PLACE_PREFIX)) {
      place.removeAttribute('id');
    }
  }
  for (const part of body.querySelectorAll('[class]')) {
    const names = part.matches('pre, code') ? (part.getAttribute('class') ?? '') : '';
    setOrRemove(part, 'class', /(?:^|\s)(language-[\w+-]{1,30})(?!\S)/.exec(names)?.[1] ?? null);
  }
  for (const drawing of body.querySelectorAll('svg')) {
    keepInside(drawing);
  }
  for (const medium of body.querySelectorAll('[src], [srcset], [poster]')) {
    keepFromOwnOrigin(medium);
  }
  for (const link of body.querySelectorAll('a')) {
    openElsewhere(link, baseUrl);
  }
  showVideos(body, ownVideo, texts, pictureAddress);
  for (const picture of body.querySelectorAll<HTMLImageElement>('img:not(.video img)')) {
    preparePicture(picture, pictureAddress, texts);
  }
  for (const medium of body.querySelectorAll<HTMLMediaElement>('audio, video')) {
    medium.controls = true;
    medium.autoplay = false;
    medium.preload = 'none';
    const poster = medium.getAttribute('poster');
    setOrRemove(medium, 'poster', poster && pictureAddress(poster));
  }
  for (const text of body.querySelectorAll('pre')) {
    // Long lines scroll, also by keyboard.
    text.tabIndex = 0;
    text.dir = 'ltr';
  }
  for (const table of body.querySelectorAll('table')) {
    table.className = isData(table) ? 'data' : 'layout';
    if (!isNested(table)) {
      frameWide(table);
    }
  }
  return template.innerHTML;
}

function preparePicture(
  picture: HTMLImageElement,
  pictureAddress: PictureAddress,
  { enlarge }: BodyOptions['texts'],
): void {
  if (isPixel(picture)) {
    picture.remove();
    return;
  }
  picture.loading = 'lazy';
  picture.referrerPolicy = 'no-referrer';
  picture.alt ||= '';
  const isWorthShowing = !isSmall(picture);
  const title = isWorthShowing ? captionOf(picture) : '';
  loadFrom(picture, pictureAddress);
  // Linked pictures keep their links.
  if (isWorthShowing && picture.closest('a[href]') === null) {
    frameEnlargeable(picture, enlarge(picture.alt));
  }
  if (title !== '') {
    showCaption(picture, title);
  }
}

/** Counts readers. Articles stored before the service left these out still have them. */
function isPixel(picture: HTMLImageElement): boolean {
  return ['width', 'height'].some((side) =>
    /^\s*[01](?:px)?\s*$/.test(picture.getAttribute(side) ?? ''),
  );
}

/** Smaller pictures, by their attributes, are signs within the text. */
const SMALLEST_ENLARGEABLE = 64;

function isSmall(picture: HTMLImageElement): boolean {
  const sides = [picture.getAttribute('width'), picture.getAttribute('height')];
  return sides.some((side) => side !== null && Number.parseFloat(side) < SMALLEST_ENLARGEABLE);
}

/** The title of a picture, unless the text around it or its description says the same, or it is a file's name. */
function captionOf(picture: HTMLImageElement): string {
  const title = picture.title.trim();
  const words = wordsOf(title);
  const around = picture.closest('figure, p, div, td, li')?.textContent ?? '';
  const isSaid =
    words === wordsOf(picture.alt) ||
    [around, picture.src].some((text) => wordsOf(text).includes(words));
  return isSaid || !words.includes(' ') ? '' : title;
}

function wordsOf(text: string): string {
  return (
    text
      .toLowerCase()
      .match(/[\p{L}\p{M}\p{N}]+/gu)
      ?.join(' ') ?? ''
  );
}

/** Comics have their second joke in the title, which touch screens never show. */
function showCaption(picture: HTMLImageElement, title: string): void {
  const caption = document.createElement('span');
  caption.className = 'caption';
  caption.dir = 'auto';
  caption.textContent = title;
  (picture.closest('a, button, picture') ?? picture).after(caption);
}

function frameEnlargeable(picture: HTMLImageElement, label: string): void {
  const shown = picture.closest('picture') ?? picture;
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'enlarge';
  button.setAttribute('aria-label', label);
  shown.replaceWith(button);
  button.append(shown);
}

/** Through the service only one of several sizes is loaded. */
function loadFrom(picture: HTMLImageElement, addressOf: PictureAddress): void {
  const src = picture.getAttribute('src') ?? firstCandidate(picture.getAttribute('srcset'));
  const address = src === null ? null : addressOf(src);
  if (address === src) {
    return;
  }
  picture.removeAttribute('srcset');
  for (const source of picture.closest('picture')?.querySelectorAll('source') ?? []) {
    source.remove();
  }
  setOrRemove(picture, 'src', address);
}

function firstCandidate(srcset: string | null): string | null {
  return /^\s*(\S+?),?(?:\s|$)/.exec(srcset ?? '')?.[1] ?? null;
}

function setOrRemove(element: Element, name: string, value: string | null): void {
  if (value === null || value === '') {
    element.removeAttribute(name);
  } else {
    element.setAttribute(name, value);
  }
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

/** Newsletters use tables for layout; such tables have neither headings nor columns. */
function isData(table: HTMLTableElement): boolean {
  if (table.querySelector(LAYOUT_CONTENTS) !== null) {
    return false;
  }
  const hasHeading = table.querySelector('th, caption, thead') !== null;
  const hasColumns = [...table.rows].filter((row) => row.cells.length > 1).length > 1;
  return hasHeading || (hasColumns && !isNested(table));
}

/** Drawings refer to nothing but their own parts, and link nowhere. */
function keepInside(drawing: SVGElement): void {
  for (const link of drawing.querySelectorAll('a')) {
    link.replaceWith(...link.childNodes);
  }
  for (const part of [drawing, ...drawing.querySelectorAll('*')]) {
    for (const name of part.getAttributeNames()) {
      const value = part.getAttribute(name) ?? '';
      const isReference = /href$/i.test(name) || /url\s*\(/i.test(value);
      if (isReference && !/^url\(#user-content-[^()]*\)$/.test(value)) {
        part.removeAttribute(name);
      }
    }
  }
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
    if (addresses.some((address) => address !== '' && isOfOwnOrigin(address))) {
      medium.removeAttribute(name);
    }
  }
}

/** Whether an address of a publisher leads to this service. */
export function isOfOwnOrigin(address: string): boolean {
  return URL.parse(address, location.href)?.origin === location.origin;
}

/** Replaces frames of other sites by links with their titles. */
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
    const host = URL.parse(address)?.hostname ?? address;
    link.textContent = `▶ ${frame.title.trim() || host}`;
    const paragraph = document.createElement('p');
    paragraph.append(link);
    frame.replaceWith(paragraph);
  }
  return template.innerHTML;
}
