import { isFrameAddress, playerOf, startingAt, type Player } from './players.js';

export interface CardTexts {
  readonly play: string;
  readonly loadsFrom: (host: string) => string;
  readonly open: (site: string) => string;
}

/** The video that an article is about, with its title. */
export interface OwnVideo {
  readonly address: string;
  readonly title: string;
  /** The article's, which its row shows, too. */
  readonly picture: string | null;
}

/** The address to load a picture from; null while it is not known. */
export type PictureAddress = (address: string) => string | null;

/**
 * Replaces links to videos by cards, which load nothing from the site before they are asked to play: links
 * that replace a frame, and links alone in a paragraph. The article's own video comes first, unless the
 * text has it.
 */
export function showVideos(
  body: DocumentFragment,
  own: OwnVideo | null,
  texts: CardTexts,
  addressOf: PictureAddress,
): void {
  const shown = new Set<string>();
  const ownPlayer = own === null ? null : playerOf(own.address);
  const pictureOf = (player: Player) => {
    const picture = player.picture === null ? null : addressOf(player.picture);
    // Loaded from the site of another video, the picture would reveal the reader.
    const isPrivate = picture !== player.picture;
    const isOwn = player.src === ownPlayer?.src;
    return isPrivate ? picture : isOwn && own?.picture ? addressOf(own.picture) : null;
  };
  for (const link of body.querySelectorAll<HTMLAnchorElement>('a[href]')) {
    const player = playerOf(link.href);
    if (player === null || !(isFrameAddress(link.href) || standsAlone(link))) {
      continue;
    }
    const text = link.textContent?.replace(/^▶\s*/, '').trim() ?? '';
    const isName = text !== '' && !URL.canParse(text) && !/^[\w.-]+$/.test(text);
    const title = isName ? text : (own?.title ?? player.site);
    const place = blockOf(link) ?? link;
    place.replaceWith(card(player, link.href, title, texts, pictureOf(player)));
    shown.add(player.src);
  }
  if (own !== null && ownPlayer !== null && !shown.has(ownPlayer.src)) {
    body.prepend(card(ownPlayer, own.address, own.title, texts, pictureOf(ownPlayer)));
  }
}

/** The paragraph of a link that has no other contents. */
function blockOf(link: Element): Element | null {
  const block = link.closest('p, figure');
  return block !== null && isOnly(link, block) ? block : null;
}

function standsAlone(link: Element): boolean {
  const block = link.closest('p, div, figure, li, td, blockquote');
  return link.querySelector('img, picture') === null && block !== null && isOnly(link, block);
}

function isOnly(link: Element, block: Element): boolean {
  return (
    (block.textContent ?? '').trim() === (link.textContent ?? '').trim() &&
    block.querySelectorAll('img, video, audio, svg, table, a').length <= 1
  );
}

function card(
  player: Player,
  address: string,
  title: string,
  texts: CardTexts,
  picture: string | null,
): HTMLElement {
  const frame = document.createElement('div');
  frame.className = 'video';
  const button = document.createElement('button');
  button.type = 'button';
  button.dataset['player'] = player.src;
  button.dataset['title'] = title;
  const sign = span('sign', '');
  sign.role = 'img';
  sign.ariaLabel = texts.play;
  const name = span('name', title);
  name.dir = 'auto';
  const site = span('site', player.site);
  const hint = span('hint', texts.loadsFrom(player.host));
  if (picture !== null) {
    const image = document.createElement('img');
    image.src = picture;
    image.alt = '';
    image.loading = 'lazy';
    button.append(image);
  }
  button.append(sign, ' ', name, ' ', site, ' ', hint);
  const link = document.createElement('a');
  link.href = address;
  link.target = '_blank';
  link.rel = 'noopener noreferrer';
  link.textContent = texts.open(player.site);
  frame.append(button, link);
  return frame;
}

function span(name: string, text: string): HTMLSpanElement {
  const element = document.createElement('span');
  element.className = name;
  element.textContent = text;
  return element;
}

/**
 * Puts the frame in the place of a card's button, and the focus into it.
 *
 * @param shown the button, or the frame, which then continues elsewhere
 * @param seconds where it starts
 */
export function playVideo(shown: HTMLElement, seconds?: number): void {
  const src = shown.dataset['player'];
  if (src === undefined) {
    return;
  }
  const frame = shown instanceof HTMLIFrameElement ? shown : frameFor(shown);
  frame.src = seconds === undefined ? src : startingAt(src, seconds);
  if (frame !== shown) {
    shown.replaceWith(frame);
  }
  frame.focus();
}

function frameFor(button: HTMLElement): HTMLIFrameElement {
  const frame = document.createElement('iframe');
  // Scripts of its own site only: it can neither navigate this page nor reach into it.
  frame.setAttribute('sandbox', 'allow-scripts allow-same-origin allow-presentation allow-popups');
  frame.allow = 'autoplay; fullscreen; picture-in-picture; encrypted-media';
  // YouTube refuses players without any.
  frame.referrerPolicy = 'strict-origin-when-cross-origin';
  frame.title = button.dataset['title'] ?? '';
  frame.dataset['player'] = button.dataset['player'];
  return frame;
}
