import { reactive } from 'vue';

/** What the service wrote into the document about this page's visitor. */
export interface PageContext {
  readonly userId: string;
  readonly displayName: string;
  readonly isAdmin: boolean;
  /** Proves to the service that a change was asked for by its own page. */
  readonly requestToken: string;
  /** Path prefix of the installation, without a slash at the end; usually empty. */
  readonly webRoot: string;
  readonly version: string;
}

const { dataset } = document.head;

const context = reactive({
  userId: dataset['user'] ?? '',
  displayName: dataset['userDisplayname'] ?? dataset['user'] ?? '',
  isAdmin: dataset['userIsAdmin'] === 'true',
  requestToken: dataset['requesttoken'] ?? '',
  webRoot: dataset['webroot'] ?? '',
  version: dataset['version'] ?? '',
});

export const page: PageContext = context;

/** After the visitor has taken another name. */
export function showDisplayName(displayName: string): void {
  context.displayName = displayName;
}

/** @param path below the root of the installation, with a slash in front */
export function addressOf(path: string): string {
  return page.webRoot + path;
}
