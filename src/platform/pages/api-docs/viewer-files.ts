/** Files of the viewer's package that the page uses. */
export const PACKAGE_FILES: ReadonlySet<string> = new Set([
  'swagger-ui.css',
  'swagger-ui-bundle.js',
]);

/** Loads the package at its first use. */
export async function packageFolder(): Promise<string> {
  const { default: folderOf } = await import('swagger-ui-dist/absolute-path.js');
  return folderOf();
}

const SCRIPT = `'use strict';
(() => {
  const dark = matchMedia('(prefers-color-scheme: dark)');
  const paint = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
  dark.addEventListener('change', paint);
  paint();
  const place = document.getElementById('viewer');
  if (place === null) {
    return;
  }
  const named = (headers, name) =>
    Object.keys(headers).some((header) => header.toLowerCase() === name);
  // Requests with the session need the CSRF token, like those of every page.
  const withToken = async (request) => {
    const isOurs = new URL(request.url, location.href).origin === location.origin;
    const changes = !['GET', 'HEAD', undefined].includes(request.method);
    request.headers ??= {};
    if (isOurs && changes && !named(request.headers, 'authorization')) {
      const answer = await fetch(place.dataset.token);
      request.headers.requesttoken = (await answer.json()).token;
    }
    return request;
  };
  SwaggerUIBundle({
    url: place.dataset.document,
    domNode: place,
    deepLinking: true,
    docExpansion: 'none',
    defaultModelsExpandDepth: 0,
    validatorUrl: null,
    // Without the token, which nobody should copy.
    showMutatedRequest: false,
    requestInterceptor: withToken,
  });
})();
`;

const STYLE = `
html { color-scheme: light dark; background: #fafafa; }
html.dark-mode { background: #1c2022; }
body { margin: 0; font-family: system-ui, sans-serif; }
.bar { display: flex; flex-wrap: wrap; gap: 4px 20px; align-items: baseline; padding: 10px 20px;
  background: #232b45; color: #fff; }
.bar a { color: #dfe4f5; text-decoration: none; padding: 4px 0; font-size: 14px; }
.bar a:hover, .bar a:focus-visible { text-decoration: underline; }
.bar .home { font-weight: 600; font-size: 16px; color: #fff; }
.bar nav { display: flex; flex-wrap: wrap; gap: 2px 16px; }
.bar a[aria-current] { color: #fff; font-weight: 600; box-shadow: 0 2px 0 #9fb1ff; }
.index { max-width: 720px; margin: 0 auto; padding: 24px 20px; color: #232733; }
.index h1 { font-size: 24px; margin: 0 0 8px; }
.index ul { list-style: none; margin: 16px 0 0; padding: 0; }
.index li { display: flex; flex-wrap: wrap; justify-content: space-between; gap: 2px 16px;
  padding: 12px 0; border-top: 1px solid #d8dce6; }
.index a { color: #2c4bb0; }
.index .file { font-family: ui-monospace, monospace; font-size: 13px; }
.dark-mode .index { color: #e4e6e6; }
.dark-mode .index a { color: #a9bcff; }
.dark-mode .index li { border-color: #3a4046; }
#viewer .swagger-ui .info { margin: 24px 0; }
#viewer .swagger-ui .info hgroup.main a { overflow-wrap: anywhere; }
@media (max-width: 600px) {
  #viewer .swagger-ui .wrapper { padding: 0 12px; }
  #viewer .swagger-ui .opblock .opblock-summary { flex-wrap: wrap; }
  #viewer .swagger-ui .opblock .opblock-summary-description { padding: 4px 10px; }
}
`;

/** Our own, by name. */
export const OWN_FILES: ReadonlyMap<string, { readonly type: string; readonly text: string }> =
  new Map([
    ['viewer.js', { type: 'text/javascript; charset=utf-8', text: SCRIPT }],
    ['viewer.css', { type: 'text/css; charset=utf-8', text: STYLE }],
  ]);
