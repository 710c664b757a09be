import { useListener } from './listen.js';
import { forgetAllCopies, keepCopiesAgain } from './offline-copies.js';
import { addressOf, page, takeSession } from './page-context.js';

/** Asks the visitor to prove who they are, or to log in. @returns false if they decline */
type Asker = () => Promise<boolean>;

/** Any document of the service, whose head tells whose session it is. */
export const SESSION_DOCUMENT = '/settings/user';

let proofAsker: Asker | undefined;
let loginAsker: Asker | undefined;
let proof: Promise<boolean> | undefined;
let login: Promise<boolean> | undefined;

/** The page says how to ask for a proof of identity; a page without it does not. */
export function askForProofBy(ask: Asker): void {
  proofAsker = ask;
}

/** The page says how to ask for a login in place; a page without it leads to the login page. */
export function askForLoginBy(ask: Asker): void {
  loginAsker = ask;
}

/** Once for all requests that need it at the same time. */
export async function askForProof(): Promise<boolean> {
  proof ??= (proofAsker?.() ?? Promise.resolve(false)).finally(() => (proof = undefined));
  return proof;
}

/**
 * The session has ended: what is kept of it is deleted, and the visitor logs in. Once for all requests
 * that notice it.
 */
export async function askForLogin(): Promise<boolean> {
  login ??= forgetAllCopies()
    .then(() => loginAsker?.() ?? leaveForLogin())
    .finally(() => (login = undefined));
  return login;
}

/** Goes to the login page, which returns here. */
export function leaveForLogin(): false {
  location.assign(loginAddress(location.pathname.slice(page.webRoot.length) + location.search));
  return false;
}

export function loginAddress(next = SESSION_DOCUMENT): string {
  return addressOf(`/login?redirect_url=${encodeURIComponent(next)}`);
}

/** Continues in the session that this browser has by now. @returns false if it has none */
export async function findSession(): Promise<boolean> {
  const answer = await fetch(addressOf(SESSION_DOCUMENT)).catch(() => null);
  return answer !== null && continueIn(await documentOf(answer));
}

/** Calls `go` when the visitor comes back from a login in another tab. */
export function useLoginElsewhere(go: () => void, isExpected = () => true): void {
  const look = async () => {
    if (isExpected() && document.visibilityState === 'visible' && (await findSession())) {
      go();
    }
  };
  useListener(document, 'visibilitychange', look);
  useListener(window, 'focus', look);
}

/** The page of another user is loaded anew. @returns false if the document is not of a session */
export function continueIn({ head }: Document): boolean {
  const isOwn = head.dataset['user'] === page.userId;
  if (isOwn) {
    takeSession(head.dataset);
    keepCopiesAgain();
  } else if (head.dataset['user'] !== undefined) {
    location.reload();
  }
  return isOwn;
}

export async function documentOf(answer: Response): Promise<Document> {
  return new DOMParser().parseFromString(await answer.text(), 'text/html');
}
