import type { Request } from 'express';
import type { Failure } from '../../../common/errors/failure.js';
import type { PublicAddress } from '../../../common/config/public-address.js';
import { languageOf } from '../../../common/texts/languages.js';
import { textIn } from '../../../common/texts/translations.js';
import { html, NOTHING } from '../../sign-in/forms/html.js';
import type { Page } from '../../sign-in/forms/page.js';

/** Asks until there is an answer, and goes on then. */
const SCRIPT = `
const link = document.querySelector('[data-seconds]');
setInterval(async () => {
  const answer = document.hidden
    ? null
    : await fetch(link.href, { method: 'HEAD', redirect: 'manual' }).catch(() => null);
  if (answer && answer.status < 429) location.reload();
}, link.dataset.seconds * 1000);
`;

/** Title and sentence; of others, the message of the failure is the sentence. */
const KNOWN: Readonly<Record<number, readonly [string, string]>> = {
  401: ['logIn', 'loginText'],
  404: ['missingTitle', 'missingText'],
  500: ['failedTitle', 'failedText'],
};

/** Says what happened and what helps; tries again by itself what will pass. */
export function errorPage(request: Request, failure: Failure, address: PublicAddress): Page {
  const { status, message, retryAfterSeconds = 5 } = failure;
  const { url, method } = request;
  const language = languageOf(request);
  const text = (key: string) => textIn(language, 'errors', key);
  const isPassing = status === 429 || status > 500;
  const triesAgain = isPassing && method === 'GET';
  const [title, sentence] = KNOWN[status] ?? [isPassing ? 'awayTitle' : 'refusedTitle'];
  const [path, label] = (status === 401 && [
    `/login?redirect_url=${encodeURIComponent(url)}`,
    'logIn',
  ]) ||
    (status >= 429 && [url, method === 'GET' ? 'tryAgain' : 'back']) || ['/', 'toStart'];
  const content = html`<p>${sentence === undefined ? message : text(sentence)}</p>
    ${triesAgain ? html`<p>${text('triesAgain')}</p>` : NOTHING}
    <a class="button" href="${address.pathOf(path)}" data-seconds="${String(retryAfterSeconds)}"
      >${text(label)}</a
    >`;
  const script = triesAgain ? SCRIPT : undefined;
  return { language, title: text(title), content, script, fetches: triesAgain };
}
