import { Catch, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { Request, Response } from 'express';
import { PublicAddress } from '../../../common/config/public-address.js';
import { beginFailure, type Failure } from '../../../common/errors/failure.js';
import { html, NOTHING } from '../../../common/http/html.js';
import { answerEdgeError } from '../../../common/ocs/answer-edge-error.js';
import { languageOf } from '../../../common/texts/languages.js';
import { textIn } from '../../../common/texts/translations.js';
import { sendPage, type Page } from '../../sign-in/forms/page.js';

/** Polls until there is an answer, then reloads. */
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

/** Addresses of programs, some of which accept HTML first without showing it. */
const OF_PROGRAMS =
  /^\/(?:ocs|remote\.php|status\.php|exapps|apps\/[^/]+\/api|apps\/app_api\/(?:proxy|framed|enter)|api\/(?:greader|fever)\.php|reader\/(?:api|atom|icons)|accounts|fever(?:\.php)?|scim|health|login\/v2\/poll)(?:\/|$)/i;

/** The application's outermost filter: answers browsers with a page, and programs as their dialect has it. */
@Catch()
export class BrowserErrorFilter implements ExceptionFilter {
  constructor(private readonly address: PublicAddress) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const request = host.switchToHttp().getRequest<Request>();
    const response = host.switchToHttp().getResponse<Response>();
    if (!isVisit(request)) {
      answerEdgeError(error, request, response);
      return;
    }
    const failure = beginFailure(error, request, response);
    if (failure !== null) {
      sendPage(response, failure.status, errorPage(request, failure, this.address));
    }
  }
}

/** Whether a browser opens a page, or sends a form of the login. */
function isVisit(request: Request): boolean {
  const isForm = request.method === 'POST' && /^\/login(?!\/v2\/?$)(?:\/|$)/.test(request.path);
  return (
    (request.method === 'GET' || isForm) &&
    !OF_PROGRAMS.test(request.path) &&
    request.accepts('json', 'html') === 'html'
  );
}

/** Explains the error and its remedy; retries temporary errors. */
function errorPage(request: Request, failure: Failure, address: PublicAddress): Page {
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
