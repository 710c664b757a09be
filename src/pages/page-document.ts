import escapeHtml from 'escape-html';
import type { Account } from '../common/ports/user-directory.js';
import type { PageFiles } from './page-build.js';

/** What every document tells its scripts about the visitor and the installation. */
export interface PageSetting {
  readonly account: Account;
  readonly requestToken: string;
  /** Path prefix of the installation, without a slash at the end. */
  readonly webRoot: string;
  readonly version: string;
  readonly files: PageFiles;
}

/** What an external app's page holds besides. Addresses with the prefix. */
export interface EmbeddedContents {
  readonly title: string;
  readonly activeEntryId: string;
  readonly scripts: readonly string[];
  readonly styles: readonly string[];
  readonly initialStates: readonly { readonly key: string; readonly value: unknown }[];
}

/** The pages of the host: one document, the script does the rest. */
export function shellDocument(setting: PageSetting): string {
  return document(setting, {
    title: 'Gatefold',
    head: '',
    body: '<body>\n<div id="app"></div>',
    end: '',
  });
}

/**
 * The page of an external app in its frame: `#content` is the app's.
 *
 * @see docs/spec/gateway-api.md "Top menu"
 */
export function embeddedDocument(setting: PageSetting, contents: EmbeddedContents): string {
  const states = contents.initialStates.map(
    ({ key, value }) =>
      `<input type="hidden" id="initial-state-app_api-${escapeHtml(key)}" value="${toBase64(value)}">`,
  );
  return document(setting, {
    title: `${contents.title} – Gatefold`,
    head: contents.styles.map(styleSheet).join('\n'),
    body: [
      `<body id="body-user" data-active-entry="${escapeHtml(contents.activeEntryId)}">`,
      ...states,
      '<div id="header"></div>',
      '<div id="content" class="app-app_api"></div>',
      '<div id="toasts"></div>',
    ].join('\n'),
    // Deferred, like the host's own module before them: run in this order, after the host's globals.
    end: contents.scripts
      .map((address) => `<script defer src="${escapeHtml(address)}"></script>`)
      .join('\n'),
  });
}

function document(
  setting: PageSetting,
  { title, head, body, end }: Record<'title' | 'head' | 'body' | 'end', string>,
): string {
  const { account, requestToken, webRoot, version, files } = setting;
  const fileAddress = (file: string) => `${webRoot}/${file}`;
  const data = {
    user: account.userId,
    'user-displayname': account.displayName,
    'user-is-admin': String(account.isAdmin),
    requesttoken: requestToken,
    webroot: webRoot,
    version,
  };
  const attributes = Object.entries(data).map(
    ([name, value]) => `data-${name}="${escapeHtml(value)}"`,
  );
  return `<!doctype html>
<html lang="en">
<head ${attributes.join(' ')}>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="theme-color" content="#232b45">
<title>${escapeHtml(title)}</title>
<link rel="icon" href="${escapeHtml(fileAddress('icon.svg'))}" type="image/svg+xml">
<link rel="apple-touch-icon" href="${escapeHtml(fileAddress('icon-192.png'))}">
<link rel="manifest" href="${escapeHtml(fileAddress('manifest.webmanifest'))}">
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

function styleSheet(address: string): string {
  return `<link rel="stylesheet" href="${escapeHtml(address)}">`;
}

/** As front ends of apps read initial states: JSON in base64. */
function toBase64(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64');
}
