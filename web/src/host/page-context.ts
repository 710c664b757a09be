import { reactive } from 'vue';

/** Data about the visitor that the service wrote into the document. */
export interface PageContext {
  readonly userId: string;
  readonly displayName: string;
  readonly isAdmin: boolean;
  /** CSRF token; another one after logging in again. */
  readonly requestToken: string;
  /** Lives until the first of both: Unix seconds, and seconds without a request. */
  readonly session: {
    readonly endsSeconds: number;
    readonly unusedSeconds: number;
    /** When the account is deleted, as the visitor wished: Unix seconds; 0: it is not. */
    readonly leavesSeconds: number;
  };
  /** Path prefix of the installation without a trailing slash; usually empty. */
  readonly webRoot: string;
  /** Address of the installation as its operator set it, without a slash at the end; often empty. */
  readonly baseUrl: string;
  readonly version: string;
  /** Source of pictures of articles: their publishers, or this service. */
  readonly pictures: 'direct' | 'proxy';
  /** Whether the service can send mails: invitations, and links for a forgotten password. */
  readonly sendsMail: boolean;
  /** Whether a password of the visitor is taken. */
  readonly hasPassword: boolean;
  /** The parts of the service that are on; see docs/operations/parts.md. */
  readonly parts: ReadonlySet<string>;
  /** Preferences by area, as the service had them when it wrote the document. */
  readonly preferences: Readonly<Record<string, PreferencesInPage>>;
}

interface PreferencesInPage {
  readonly values: Readonly<Record<string, unknown>>;
  readonly version: number;
}

const { dataset } = document.head;

const context = reactive({
  userId: dataset['user'] ?? '',
  displayName: dataset['userDisplayname'] ?? dataset['user'] ?? '',
  isAdmin: dataset['userIsAdmin'] === 'true',
  ...sessionIn(dataset),
  webRoot: dataset['webroot'] ?? '',
  baseUrl: dataset['baseurl'] ?? '',
  version: dataset['version'] ?? '',
  pictures: dataset['pictures'] === 'proxy' ? ('proxy' as const) : ('direct' as const),
  sendsMail: dataset['sendsMail'] === 'true',
  hasPassword: dataset['hasPassword'] === 'true',
  parts: new Set((dataset['parts'] ?? '').split(' ')),
  preferences: JSON.parse(dataset['preferences'] ?? '{}') as PageContext['preferences'],
});

export const page: PageContext = context;

function sessionIn(head: DOMStringMap): Pick<PageContext, 'requestToken' | 'session'> {
  return {
    requestToken: head['requesttoken'] ?? '',
    session: {
      endsSeconds: Number(head['sessionEnds'] ?? 0),
      unusedSeconds: Number(head['sessionUnused'] ?? 0),
      leavesSeconds: Number(head['sessionLeaves'] ?? 0),
    },
  };
}

/** Continues in another session of the same user. @param head of a document of that session */
export function takeSession(head: DOMStringMap): void {
  Object.assign(context, sessionIn(head));
}

/** Updates the page after the user kept the account. */
export function showLeaving(leavesSeconds: number): void {
  context.session = { ...context.session, leavesSeconds };
}

/** Updates the page after the user changed the display name. */
export function showDisplayName(displayName: string): void {
  context.displayName = displayName;
}

/** @param path below the root of the installation, with a leading slash */
export function addressOf(path: string): string {
  return page.webRoot + path;
}
