import DOMPurify from 'dompurify';

const purifier = DOMPurify(window);

/** The service has cleaned it already; what slips through there is stopped here. */
const OPTIONS = {
  USE_PROFILES: { html: true },
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
  FORBID_ATTR: ['style', 'id', 'name', 'class', 'usemap', 'contenteditable', 'tabindex', 'popover'],
  ALLOW_DATA_ATTR: false,
  ALLOW_ARIA_ATTR: false,
};

/** HTML of articles by strangers, made fit to be shown in the page. @param baseUrl of the article */
export function safeHtml(html: string, baseUrl: string | null): string {
  const template = document.createElement('template');
  template.innerHTML = purifier.sanitize(framesToLinks(html), OPTIONS);
  const body = template.content;
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
  for (const table of body.querySelectorAll('table')) {
    // Wide ones scroll by themselves.
    const frame = document.createElement('div');
    frame.className = 'wide';
    frame.tabIndex = 0;
    table.replaceWith(frame);
    frame.append(table);
  }
  return template.innerHTML;
}

function openElsewhere(link: HTMLAnchorElement, baseUrl: string | null): void {
  const href = link.getAttribute('href') ?? '';
  if (href.startsWith('#')) {
    // Places within the article have lost their names.
    if (baseUrl === null) {
      link.removeAttribute('href');
    } else {
      link.href = baseUrl.replace(/#.*$/, '') + href;
    }
  }
  link.target = '_blank';
  link.rel = 'noopener noreferrer';
}

/** Players of other sites are visited rather than let in. */
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
