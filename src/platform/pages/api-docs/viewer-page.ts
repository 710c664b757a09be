import escapeHtml from 'escape-html';

/** No inline scripts or styles; the viewer's arrows and logos are data addresses in its style sheet. */
export const VIEWER_POLICY = [
  "default-src 'none'",
  "base-uri 'none'",
  "connect-src 'self'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "img-src 'self' data:",
  "script-src 'self'",
  "style-src 'self'",
].join('; ');

interface NamedDocument {
  readonly name: string;
  readonly title: string;
}

/** @param prefix path prefix of the service, or empty */
export function indexPage(prefix: string, documents: readonly NamedDocument[]): string {
  const items = documents.map(
    ({ name, title }) => `<li><a href="${prefix}/api/docs/${name}">${shortTitle(title)}</a>
<a class="file" href="${prefix}/api/docs/${name}.json">${name}.json</a></li>`,
  );
  return page(
    prefix,
    'API documents',
    documents,
    undefined,
    `<main class="index"><h1>API documents</h1>
<p>Descriptions of the APIs of this service in OpenAPI 3.1, for people and for programs.</p>
<ul>${items.join('\n')}</ul></main>`,
  );
}

export function viewerPage(
  prefix: string,
  documents: readonly NamedDocument[],
  { name, title }: NamedDocument,
): string {
  const files = `${prefix}/api/docs/viewer`;
  return page(
    prefix,
    title,
    documents,
    name,
    `<main id="viewer" data-document="${prefix}/api/docs/${name}.json" data-token="${prefix}/csrftoken"></main>
<script src="${files}/swagger-ui-bundle.js" defer></script>`,
  );
}

function page(
  prefix: string,
  title: string,
  documents: readonly NamedDocument[],
  current: string | undefined,
  main: string,
): string {
  const files = `${prefix}/api/docs/viewer`;
  const links = documents.map(
    (one) =>
      `<a href="${prefix}/api/docs/${one.name}"${one.name === current ? ' aria-current="page"' : ''}>${shortTitle(one.title)}</a>`,
  );
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<link rel="icon" href="${prefix}/icon.svg">
<link rel="stylesheet" href="${files}/swagger-ui.css">
<link rel="stylesheet" href="${files}/viewer.css">
</head>
<body>
<header class="bar"><a class="home" href="${prefix}/">Gatefold</a>
<nav aria-label="API documents"><a href="${prefix}/api/docs"${current === undefined ? ' aria-current="page"' : ''}>All</a>
${links.join('\n')}</nav></header>
${main}
<script src="${files}/viewer.js" defer></script>
</body>
</html>
`;
}

/** Omits the name of the service. */
function shortTitle(title: string): string {
  const short = title.replace(/^Gatefold: /, '');
  return escapeHtml(short.charAt(0).toUpperCase() + short.slice(1));
}
