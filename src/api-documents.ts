import type { ApiDocument, ApiDocuments, LeftOut } from './common/contracts/api-document.js';

/* Which routes are in which API document. The documents are made of the routes: see @Operation. */

const inOrNull = (path: string, isIn: boolean) => (isIn ? path : null);

const OCS_WORDS = `
Each route is below \`/ocs/v2.php\` and \`/ocs/v1.php\`, with an envelope \`{"ocs": {"meta": …, "data": …}}\`.
The default form is XML; \`format=json\` or \`Accept: application/json\` asks for JSON. Below \`/ocs/v1.php\`
most errors have the status 200 and their code in \`meta.statuscode\`, where 100 is success.
Requests with a session need the header \`requesttoken\`, with the token of \`/csrftoken\`.`;

const INPUT_WORDS = `
Parameters may be sent in the query, as JSON, or as a form; numbers and booleans also as text.
Answers get more fields over time: ignore those that you do not know.`;

const NEWS_WORDS = `
The feed reader API, as the Nextcloud News app has it, and what Gatefold adds to it. All addresses also
exist below \`/index.php\`. An answer without a content is \`[]\` or \`null\`.
`;

const GOOGLE_READER = /^\/(?:api\/greader\.php\/){0,2}(reader\/|accounts\/)/;
const FEVER = /^\/(?:fever|fever\.php|api\/fever\.php|fever\/fever)\/?$/;
const CHAT = /^\/ocs\/v2\.php\/apps\/spreed\//;
const GATEWAY =
  /^\/(?:ocs\/v2\.php\/)?(?:apps\/app_api|taskprocessing|textprocessing|translation|speechtotext|settings\/api\/declarative)(?:\/|$)/;
const FILES = /^\/core\/preview|^\/apps\/files\/ajax\//;
const PLATFORM =
  /^\/ocs\/v2\.php\/(?:cloud|core|apps\/(?:gatefold|notifications))\/|^\/(?:avatar|health|login\/v2|csrftoken|status\.php|core\/img)(?:\/|$)/;

const DOCUMENTS: readonly ApiDocument[] = [
  {
    name: 'news-v1-2',
    title: 'Gatefold: feed reader API, level v1-2',
    description: `${NEWS_WORDS}\nLevel v1-2 names items by feed and hash.\n${INPUT_WORDS}`,
    errors: 'json',
    pathOf: (path) => inOrNull(path, path.startsWith('/apps/news/api/v1-2')),
  },
  {
    name: 'news-v1-3',
    title: 'Gatefold: feed reader API, level v1-3',
    description: `${NEWS_WORDS}\nLevel v1-3 names items by id; most additions of Gatefold are here.\n${INPUT_WORDS}`,
    errors: 'json',
    pathOf: (path) => inOrNull(path, /^\/apps\/news\/(?!api\/v1-2)/.test(path)),
  },
  {
    name: 'google-reader',
    title: 'Gatefold: Google Reader API',
    description: `
The API of Google Reader, as FreshRSS and others have it, for clients. All addresses also exist below
\`/api/greader.php\`. Log in at \`/accounts/ClientLogin\`; errors are sentences.`,
    errors: 'text',
    pathOf: (path) => {
      if (GOOGLE_READER.test(path)) {
        return path.replace(/^(?:\/api\/greader\.php)+/, '');
      }
      return inOrNull(path, path.startsWith('/api/greader.php'));
    },
  },
  {
    name: 'fever',
    title: 'Gatefold: Fever API',
    description: `
One address, also at \`/fever.php\`, \`/api/fever.php\` and \`/fever/fever\`. Parameters without a value
select what is answered; a wrong key is answered with 200 and \`{"auth": 0}\`.`,
    errors: 'json',
    pathOf: (path) => (FEVER.test(path) ? '/fever' : null),
  },
  {
    name: 'chat',
    title: 'Gatefold: chat',
    description: `
Conversations, messages and bots, as Nextcloud Talk has them.
${OCS_WORDS}
${INPUT_WORDS}`,
    errors: 'json',
    pathOf: (path) => inOrNull(path, CHAT.test(path)),
  },
  {
    name: 'gateway',
    title: 'Gatefold: external apps',
    description: `
What external apps call, what users and administrators do with them, and tasks for apps: the AppAPI of
Nextcloud. Routes of apps below \`/ocs/v2.php\` also exist without it. Parameters have two spellings:
\`actionHandler\` and \`action_handler\`.
${OCS_WORDS}
${INPUT_WORDS}`,
    errors: 'json',
    pathOf: (path) => inOrNull(path, GATEWAY.test(path)),
  },
  {
    name: 'files',
    title: 'Gatefold: files',
    description: `
Previews and archives of files. Files themselves are reached over WebDAV at
\`/remote.php/dav/files/USER/\`, whose methods (\`PROPFIND\`, \`MKCOL\`, \`MOVE\` …) OpenAPI cannot
describe: see RFC 4918 and docs/files.md. The trash is at \`/remote.php/dav/trashbin/USER/trash\`, uploads
in pieces are at \`/remote.php/dav/uploads/USER/\`.`,
    errors: 'dav',
    pathOf: (path) => inOrNull(path, FILES.test(path)),
  },
  {
    name: 'platform',
    title: 'Gatefold: accounts, notifications and the service',
    description: `
Accounts, groups, app passwords, sessions, notifications, preferences and capabilities, at the addresses
of Nextcloud; and the health of the service.
${OCS_WORDS}
${INPUT_WORDS}`,
    errors: 'json',
    pathOf: (path) => inOrNull(path, PLATFORM.test(path)),
  },
];

const LEFT_OUT: readonly LeftOut[] = [
  {
    routes:
      /^(?:Pages|EmbeddedPages|FileLinks|FramedPages|WebApp|ApiDocs|ApiDocsPages|SecurityTxt)Controller\./,
    reason: 'Documents and files for browsers.',
  },
  {
    routes:
      /^(?:Login|HalfLogin|PasskeyLogin|Logout|Grant|Oidc|OidcLogout|PasswordLinks)Controller\./,
    reason: 'Forms and redirects for browsers and identity providers.',
  },
  {
    routes: /^Scim(?:Service|Users|Groups)Controller\./,
    reason: 'SCIM, which describes itself at /scim/v2/Schemas; see RFC 7644.',
  },
  { routes: /^MetricsController\./, reason: 'For collectors of metrics, in their own format.' },
  { routes: /^\/remote\.php\//, reason: 'WebDAV, whose methods OpenAPI cannot describe.' },
  { routes: /^ProxyController\./, reason: 'What is there belongs to the external app.' },
  {
    routes: /^TalkProxyController\./,
    reason: 'Called by other chats with the address that a bot was given.',
  },
  { routes: /^WebSubController\./, reason: 'Called by hubs with an address that they were given.' },
  {
    routes: /^OtherRoutesController\.unknown/,
    reason: 'The answer to unknown addresses.',
  },
];

export const API_DOCUMENTS: ApiDocuments = {
  documents: DOCUMENTS,
  leftOut: LEFT_OUT,
  securityOfGuards: {
    BasicAuthGuard: ['basic', 'session', 'externalApp'],
    ListVisitorGuard: ['basic', 'session', 'externalApp'],
    AccountPasswordGuard: [],
    AdminGuard: [],
    AppConsentGuard: [],
    PutOrPostGuard: [],
    ActingUserGuard: [],
    OwnerGuard: [],
    GatewayAuthGuard: ['externalApp'],
    ScimGuard: [],
    TaskPollGuard: ['externalApp'],
    SignedBotGuard: ['chatBot'],
    GoogleLoginGuard: ['googleLogin'],
    FeverKeyGuard: ['feverKey'],
  },
};
