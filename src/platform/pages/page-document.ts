import escapeHtml from 'escape-html';
import type { PartName } from '../../common/config/parts.js';
import type { Session } from '../../common/ports/sessions.js';
import type { Account } from '../../common/ports/user-directory.js';
import { directionOf, type Language } from '../../common/texts/languages.js';
import type { AreaPreferences } from '../accounts/preferences/preferences.service.js';
import type { PageFiles } from './page-build.service.js';

/** By area; `pages` has language and theme. */
type Preferences = Readonly<Record<string, AreaPreferences>> & { readonly pages: AreaPreferences };

/** The page of an address by its beginning, as in `web/src/router.ts`; `/` leads to the reader. */
const PAGES: readonly (readonly [string, string])[] = [
  ['/apps/files', 'src/files/FilesPage.vue'],
  ['/apps/spreed', 'src/chat/ChatPage.vue'],
  ['/call/', 'src/chat/ChatPage.vue'],
  ['/apps/app_api/embedded', 'src/app-frame/AppFramePage.vue'],
  ['/settings', 'src/settings/SettingsPage.vue'],
  ['/apps/news/rules', 'src/reader/rules/RulesPage.vue'],
  ['/', 'src/reader/ReaderPage.vue'],
];

/** Areas of texts that every page needs, as in `web/src/texts/i18n.ts`. */
const AREAS = ['declarative', 'reader', 'shell'];

/** Data about visitor and installation for the scripts of every document. */
export interface PageSetting {
  readonly account: Account;
  readonly requestToken: string;
  /** Undefined in frames on another origin, which keep nothing for the time without a connection. */
  readonly session: Pick<Session, 'endsSeconds' | 'unusedSeconds' | 'leavesSeconds'> | undefined;
  /** Preferences by area: the pages' own, and others that the scripts need at once. */
  readonly preferences: Preferences;
  /** Chosen language, or the browser's preference. */
  readonly language: string;
  /** Path prefix of the installation, without a slash at the end. */
  readonly webRoot: string;
  /** Set by the operator, without a slash at the end. */
  readonly baseUrl: string | undefined;
  readonly version: string;
  /** Source of articles' pictures: their publishers, or this service. */
  readonly pictures: 'direct' | 'proxy';
  readonly sendsMail: boolean;
  /** Whether a password of the visitor is taken. */
  readonly hasPassword: boolean;
  /** The parts of the service that are on. */
  readonly parts: ReadonlySet<PartName>;
  readonly files: PageFiles;
}

/** Initial data for the page's scripts, looked up by app and key. */
export interface InitialState {
  readonly app: string;
  readonly key: string;
  readonly value: unknown;
}

/** Further contents of an external app's page. Addresses include the path prefix. */
export interface EmbeddedContents {
  readonly appId: string;
  readonly title: string;
  readonly activeEntryId: string;
  readonly scripts: readonly string[];
  readonly styles: readonly string[];
  readonly initialStates: readonly InitialState[];
}

/** The document of the host's pages, rendered by the script. */
export function shellDocument(setting: PageSetting): string {
  return document(setting, {
    title: 'Gatefold',
    head: '',
    body: '<body>\n<div id="app"></div>',
    end: '',
    icons: true,
  });
}

/**
 * The page of an external app, which renders into `#content`.
 *
 * @see docs/spec/gateway-api.md "Top menu"
 */
export function embeddedDocument(setting: PageSetting, contents: EmbeddedContents): string {
  return document(setting, {
    ...partsOf(contents, { before: '<div id="header"></div>', after: '<div id="toasts"></div>' }),
    title: `${contents.title} – Gatefold`,
    icons: true,
  });
}

/**
 * The page for a frame in a page of ours, which has the bar and shows the messages.
 * @param hostOrigin of the page around it
 */
export function framedDocument(
  setting: PageSetting,
  hostOrigin: string,
  contents: EmbeddedContents,
): string {
  const mark = `<meta name="gatefold-host" content="${escapeHtml(hostOrigin)}">`;
  const parts = partsOf(contents, { before: '', after: '' });
  return document(setting, {
    ...parts,
    title: contents.title,
    head: `${mark}\n${parts.head}`,
    icons: false,
  });
}

function partsOf(
  { appId, activeEntryId, scripts, styles, initialStates }: EmbeddedContents,
  { before, after }: Readonly<Record<'before' | 'after', string>>,
): Record<'head' | 'body' | 'end', string> {
  return {
    head: styles.map(styleSheet).join('\n'),
    body: [
      `<body id="body-user" data-app="${escapeHtml(appId)}" data-active-entry="${escapeHtml(activeEntryId)}">`,
      ...initialStates.map(hiddenState),
      // Front ends of apps add skip links to it, and fail without it.
      '<div id="skip-actions"></div>',
      before,
      `<div id="content" class="app-${escapeHtml(appId)}"></div>`,
      after,
    ]
      .filter((part) => part !== '')
      .join('\n'),
    // Deferred, like the host's own module before them: run in this order, after the host's globals.
    end: scripts
      .map((address) => `<script defer src="${escapeHtml(address)}"></script>`)
      .join('\n'),
  };
}

/** Icons and manifest, which are not on the origin of an app. */
function iconLinks(fileAddress: (file: string) => string): string {
  return `<link rel="icon" href="${escapeHtml(fileAddress('icon.svg'))}" type="image/svg+xml">
<link rel="apple-touch-icon" href="${escapeHtml(fileAddress('icon-192.png'))}">
<link rel="manifest" href="${escapeHtml(fileAddress('manifest.webmanifest'))}">`;
}

interface DocumentParts extends Readonly<Record<'title' | 'head' | 'body' | 'end', string>> {
  readonly icons: boolean;
}

function document(setting: PageSetting, { title, head, body, end, icons }: DocumentParts): string {
  const {
    account,
    requestToken,
    session,
    preferences,
    language,
    webRoot,
    baseUrl,
    version,
    pictures,
    sendsMail,
    hasPassword,
    files,
    parts,
  } = setting;
  const fileAddress = (file: string) => `${webRoot}/${file}`;
  const data = {
    user: account.userId,
    'user-displayname': account.displayName,
    'user-is-admin': String(account.isAdmin),
    requesttoken: requestToken,
    ...(session && {
      'session-ends': String(session.endsSeconds),
      'session-unused': String(session.unusedSeconds),
      'session-leaves': String(session.leavesSeconds ?? 0),
    }),
    webroot: webRoot,
    ...(baseUrl !== undefined && { baseurl: baseUrl }),
    version,
    pictures,
    ...(sendsMail && { 'sends-mail': 'true' }),
    ...(hasPassword && { 'has-password': 'true' }),
    parts: [...parts].join(' '),
    preferences: JSON.stringify(preferences),
  };
  const attributes = Object.entries(data).map(
    ([name, value]) => `data-${name}="${escapeHtml(value)}"`,
  );
  return `<!doctype html>
<html ${rootAttributes(language, preferences)}>
<head ${attributes.join(' ')}>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="theme-color" content="#232b45">
<title>${escapeHtml(title)}</title>
${icons ? iconLinks(fileAddress) : ''}
${files.styles.map((file) => styleSheet(fileAddress(file))).join('\n')}
${head}
${files.preloads.map((file) => `<link rel="modulepreload" href="${escapeHtml(fileAddress(file))}">`).join('\n')}
<script type="module" src="${escapeHtml(fileAddress(files.script))}"></script>
${end}
</head>
${body}
<noscript>Gatefold's pages need JavaScript. Feed readers and other clients work without them.</noscript>
</body>
</html>
`;
}

/** Language and colours, so that nothing changes before the eyes of the visitor. */
function rootAttributes(language: string, { pages }: Preferences): string {
  const { theme } = pages.values;
  // Without the attribute, the style sheet follows the system's theme.
  const attributes = {
    lang: language,
    dir: directionOf(language),
    ...(theme !== 'system' && { 'data-theme': theme }),
  };
  return Object.entries(attributes)
    .map(([name, value]) => `${name}="${escapeHtml(String(value))}"`)
    .join(' ');
}

function styleSheet(address: string): string {
  return `<link rel="stylesheet" href="${escapeHtml(address)}">`;
}

function hiddenState({ app, key, value }: InitialState): string {
  const id = escapeHtml(`initial-state-${app}-${key}`);
  return `<input type="hidden" id="${id}" value="${toBase64(value)}">`;
}

/**
 * JSON in base64 for front ends of apps, which decode each byte as a character; so non-ASCII is
 * escaped first.
 */
function toBase64(value: unknown): string {
  const json = JSON.stringify(value ?? null).replace(
    /[\u0080-\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return Buffer.from(json, 'latin1').toString('base64');
}

/**
 * Source files that the script of the pages imports as soon as it runs. The document names them, so
 * that browsers load them together with the script and not after it.
 *
 * @param path of the request, without the path prefix
 */
export function nextModules(path: string, language: Language): string[] {
  const page = PAGES.find(([start]) => path.startsWith(start))?.[1];
  return [
    ...(page === undefined ? [] : [page]),
    ...AREAS.map((area) => `src/texts/${language}/${area}.json`),
  ];
}
