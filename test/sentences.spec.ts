import { describe, expect, it } from '@jest/globals';
import { globSync, readFileSync } from 'node:fs';
import ts from 'typescript';
import { LANGUAGES, type Language } from '../src/common/texts/languages.js';
import { sentenceIn, textIn } from '../src/common/texts/translations.js';
import { LANGUAGES as LANGUAGES_OF_PAGES } from '../web/src/texts/languages.js';
import { refused } from './support/untranslated.js';

/** The service's own sentences: for `npm run texts`, each language has those that people see. */

interface TextFile {
  readonly texts: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly sentences?: Readonly<Record<string, string>>;
}

const fileOf = (language: string): TextFile =>
  JSON.parse(readFileSync(`src/common/texts/${language}.json`, 'utf8'));

const foreign = LANGUAGES.filter((language) => language !== 'en');
const english = textsOf(fileOf('en'));
/** Of any language. Those that wait for all of them are in the English file, each as its own translation. */
const sentences = [
  ...new Set(LANGUAGES.flatMap((language) => Object.keys(fileOf(language).sentences ?? {}))),
];

/**
 * Not translated: what only programs, operators, and developers of clients and external apps see. All other
 * messages of errors are.
 */
const ENGLISH_ONLY = {
  files: [
    /^src\/app-api\//,
    /^src\/cli\//,
    /^src\/http-edge\.ts$/,
    /\.commands\.ts$/,
    /^src\/common\/command-line\//,
    /^src\/common\/health\//,
    /^src\/common\/http\/(?:form-fields|form-pieces|input-bodies|input\.decorator|shares|read-bounded-body|read-fields)\.ts$/,
    /^src\/database\/(?:backup|restore)/,
    /^src\/platform\/files\/(?:dav|dav-format|changes|locks|piecewise|properties|search)\//,
    /^src\/platform\/files\/stores\/content-moves/,
    /^src\/news\/distribution\//,
    /^src\/news\/sources\/full-text\//,
    /^src\/news\/google-reader\//,
    /^src\/news\/http\//,
    /^src\/news\/import-nextcloud\//,
    /^src\/news\/sources\/pictures\//,
    /^src\/news\/statistics\//,
    /^src\/news\/sources\/websub\//,
    /^src\/platform\/(?:accounts\/(?:groups|users\/ask)|sign-in\/(?:oidc|scim|password-links))/,
  ],
  sentences: new Set([
    // Clients compare these.
    'CORS requires basic auth',
    'AppAPI authentication failed',
    'CSRF check failed',
    'Logged in user must be an admin',
    // Of the administration of accounts and of external apps.
    'An app password for administration must be for everything, one with a Fever key for everything or the feed reader.',
    'A user name has 1 to 64 letters, digits or the signs _ . @ - and not dots alone, but is {}.',
    'An app password or an external app cannot do this. Use a browser, the account password, or an app password with administrator rights.',
    'Participants of the source "{}" are not supported, only "users".',
    'The bot could not be verified for this conversation.',
    'The field "{}" of a user cannot be changed; displayname, password, email and, for administrators, quota can.',
    'The group of administrators can be neither renamed nor removed.',
    'The id and name of a group have 1 to 64 characters, without slashes and control characters.',
    'There is already a group "{}".',
    'There is no bot {}, or its external app is not enabled.',
    'There is no group "{}".',
    'The service has {}. Set the same here; nothing was fetched.',
    'There is no source {}.',
    'This requires an app password.',
    'Too many wrong gateway credentials. Try again in {} seconds.',
    // Of requests that only programs make.
    '"{}" exists, and Overwrite is F.',
    'MKCOL with a body is not supported.',
    'Only the report filter-files with favorite is supported.',
    'Partial uploads (Content-Range) are not supported.',
    'Send the file as the body with Content-Type: text/x-opml, or as the file of a form.',
    'The file does not match the conditional headers of the request.',
    'The form has no file; send it in the field "file".',
    'The form has more than one file.',
    'The multipart form cannot be read.',
    'The preference "{}" of "{}" {}.',
    'The range is outside the file, which has {} bytes.',
    'There is no route {} {}.',
    'This file or folder has no lock with this token.',
    // In a gap that no translation shows.
    'changes of files',
    // Of the operator of the installation.
    'Log in first.',
    'The token of GATEFOLD_METRICS_TOKEN is required.',
    'The reader was idle.',
    'The pages are not built yet: run "npm run build" in the folder of Gatefold.',
    'a page without PageVisitorGuard',
  ]),
};

describe('the service', () => {
  it('speaks the languages of the pages', () => {
    expect([...LANGUAGES].toSorted()).toEqual(Object.keys(LANGUAGES_OF_PAGES).toSorted());
  });

  it('has a translation for each message of an error that people see, before a release', () => {
    const translated = new Set(sentences.map(skeletonOf));
    const missing = messagesOfErrors().filter(
      ({ file, skeleton }) =>
        !translated.has(skeleton) &&
        !ENGLISH_ONLY.sentences.has(skeleton) &&
        !ENGLISH_ONLY.files.some((pattern) => pattern.test(file)),
    );

    expect(refused(missing)).toEqual([]);
  });

  it('still says each sentence that is translated', () => {
    const literals = literalsOfCode();
    // Its topics and reasons are translated, too.
    const starterFeeds = readFileSync('src/news/suggesting/starter-feeds.json', 'utf8');

    expect(
      sentences.filter(
        (sentence) =>
          !starterFeeds.includes(JSON.stringify(sentence)) &&
          !sentence.split(/\{\w+\}/).every((part) => isWritten(part, literals)),
      ),
    ).toEqual([]);
  });
});

describe.each(foreign)('the sentences in %s', (language) => {
  const file = fileOf(language);
  const translated = Object.entries(file.sentences ?? {});

  it('are complete before a release, and none is left over', () => {
    const texts = textsOf(file);
    const missing = [
      ...sentences.filter((sentence) => file.sentences?.[sentence] === undefined),
      ...[...english.keys()].filter((key) => !texts.has(key)),
    ];

    expect({
      missing: refused(missing),
      leftOver: [...texts.keys()].filter((key) => !english.has(key)),
    }).toEqual({ missing: [], leftOver: [] });
  });

  it('have no gap that English does not fill', () => {
    const wrong = translated.filter(([sentence, text]) =>
      gapsOf(text).some((gap) => !gapsOf(sentence).includes(gap)),
    );
    const wrongTexts = [...textsOf(file)].filter(
      ([key, text]) => gapsOf(text).join() !== gapsOf(english.get(key) ?? '').join(),
    );

    expect([...wrong, ...wrongTexts]).toEqual([]);
  });

  it('say something else than English', () => {
    const same = [
      ...translated,
      ...[...textsOf(file)].map(([key, text]) => [english.get(key), text]),
    ];

    const left = same.filter(([before, after]) => after === before || after?.trim() === '');
    expect(left).toEqual(language === 'it' ? [['Password', 'Password']] : []);
  });
});

describe('a sentence', () => {
  it.each<[Language, string, string]>([
    ['en', 'There is no folder 7.', 'There is no folder 7.'],
    ['fr', 'There is no folder 7.', 'Il n’y a pas de dossier 7.'],
    [
      'de',
      'The name of a folder must not be empty.',
      'Der Name eines Ordners darf nicht leer sein.',
    ],
    [
      'ru',
      'The server at example.org could not be reached: it refused the connection.',
      'Не удалось связаться с сервером example.org: он отклонил соединение.',
    ],
    [
      'ja',
      'The server at example.org sent more than 5 MiB.',
      'サーバー example.org から受信したもの: 5 MiB を超えるデータ。',
    ],
    [
      'nl',
      'The server at example.org has nothing at this address (status 404).',
      'De server example.org heeft niets op dit adres (status 404).',
    ],
    [
      'es',
      'An element of the document is never closed. 50 of 70 items of the document were kept: the newest.',
      'Un elemento del documento no se cierra nunca. Se conservaron 50 de los 70 artículos del documento: los más recientes.',
    ],
    [
      'ar',
      'There is no server named example.org; check the spelling of the address.',
      'لا خادم باسم \u2068example.org\u2069؛ تحقق من كتابة العنوان.',
    ],
    [
      'de',
      'notes 1.0.0 does not work: GET http://a.example/heartbeat: The server at a.example could not be reached: it refused the connection. Check that the app runs, and that this is its address.',
      'notes 1.0.0 funktioniert nicht: GET http://a.example/heartbeat ist gescheitert: Der Server a.example ist nicht erreichbar: er hat die Verbindung abgelehnt. Prüfe, ob die App läuft und ob dies ihre Adresse ist.',
    ],
    [
      'it',
      'The server has fsync = off. A power failure would destroy the database.',
      'Il server ha fsync = off. Un’interruzione di corrente distruggerebbe il database.',
    ],
    ['fr', 'Something nobody translated.', 'Something nobody translated.'],
    ['fr', '', ''],
  ])('in %s: %s', (language, sentence, expected) => {
    expect(sentenceIn(language, sentence)).toBe(expected);
  });

  it('keeps what people wrote, even if it looks like a gap or a clause', () => {
    expect(sentenceIn('es', '"{path}" already exists.')).toBe('«{path}» ya existe.');
    expect(sentenceIn('es', 'A folder named "must not be empty" already exists.')).toBe(
      'Ya existe una carpeta llamada «must not be empty».',
    );
    expect(sentenceIn('es', '"a" already exists." already exists.')).toBe(
      '«a" already exists.» ya existe.',
    );
  });

  it('fills the gaps of a text', () => {
    expect(textIn('cs', 'login', 'loginWith', { provider: 'Campus {x}' })).toBe(
      'Přihlásit se přes Campus {x}',
    );
  });
});

function textsOf({ texts }: TextFile): Map<string, string> {
  return new Map(
    Object.entries(texts).flatMap(([area, entries]) =>
      Object.entries(entries).map(([key, text]): [string, string] => [`${area}.${key}`, text]),
    ),
  );
}

function gapsOf(text: string): string[] {
  return [...new Set([...text.matchAll(/\{\w+\}/g)].map(([gap]) => gap))].toSorted();
}

function skeletonOf(sentence: string): string {
  return sentence.replace(/\{\w+\}/g, '{}');
}

let sources: readonly ts.SourceFile[] | undefined;

function sourcesOfService(): readonly ts.SourceFile[] {
  sources ??= globSync('src/**/*.ts')
    .filter((file) => !file.endsWith('.spec.ts'))
    .map((file) =>
      ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true),
    );
  return sources;
}

const PARENT_OF_ERRORS =
  /^(?:unauthenticated|forbidden|notFound|conflict|malformed|invalid|preconditionFailed|tooMany|unavailable|storageFull)\(/;

/** What is given to `super(…)` in classes of errors, to parents like `notFound(…)`, and to constructors of errors, with `{}` for gaps. */
function messagesOfErrors(): { file: string; skeleton: string }[] {
  const files = sourcesOfService();
  const parents = new Map<string, string>();
  for (const source of files) {
    visit(source, (node) => {
      const parent = ts.isClassDeclaration(node) ? parentOf(node) : undefined;
      if (ts.isClassDeclaration(node) && node.name !== undefined && parent !== undefined) {
        parents.set(node.name.text, parent);
      }
    });
  }
  const isError = (name: string | undefined): boolean =>
    name !== undefined &&
    (/^(?:DomainError|ServiceUnavailable|\w+Exception)$/.test(name) ||
      PARENT_OF_ERRORS.test(name) ||
      isError(parents.get(name)));

  return files.flatMap((source) => {
    const found: { file: string; skeleton: string }[] = [];
    const report = (given: readonly ts.Expression[], least: RegExp): void => {
      for (const skeleton of given.flatMap(skeletonsIn)) {
        if (least.test(skeleton)) {
          found.push({ file: source.fileName, skeleton });
        }
      }
    };
    visit(source, (node) => {
      if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.SuperKeyword) {
        const owner = ts.findAncestor(node, ts.isClassDeclaration);
        if (owner !== undefined && isError(parentOf(owner))) {
          report([...node.arguments], /\w/);
        }
      }
      if (
        ts.isCallExpression(node) &&
        ts.isExpressionWithTypeArguments(node.parent) &&
        isError(node.getText())
      ) {
        report([...node.arguments], /\w/);
      }
      if (ts.isNewExpression(node) && isError(node.expression.getText())) {
        // A single word is a value, not a sentence or a clause.
        report([...(node.arguments ?? [])], /\w \w/);
      }
    });
    return found;
  });
}

function parentOf(node: ts.ClassDeclaration): string | undefined {
  const heritage = node.heritageClauses?.find(
    ({ token }) => token === ts.SyntaxKind.ExtendsKeyword,
  );
  return heritage?.types[0]?.expression.getText();
}

function skeletonsIn(node: ts.Expression): string[] {
  if (ts.isStringLiteralLike(node)) {
    return [node.text];
  }
  if (ts.isTemplateExpression(node)) {
    return [node.head.text + node.templateSpans.map(({ literal }) => `{}${literal.text}`).join('')];
  }
  if (ts.isBinaryExpression(node)) {
    if (node.operatorToken.kind !== ts.SyntaxKind.PlusToken) {
      return [...skeletonsIn(node.left), ...skeletonsIn(node.right)];
    }
    const [left = '{}', right = '{}'] = [node.left, node.right].map((side) => skeletonsIn(side)[0]);
    return [left + right];
  }
  if (ts.isConditionalExpression(node)) {
    return [...skeletonsIn(node.whenTrue), ...skeletonsIn(node.whenFalse)];
  }
  return ts.isArrowFunction(node) && ts.isExpression(node.body) ? skeletonsIn(node.body) : [];
}

function literalsOfCode(): string[] {
  const literals = new Set<string>();
  for (const source of sourcesOfService()) {
    visit(source, (node) => {
      if (
        ts.isStringLiteralLike(node) ||
        ts.isTemplateHead(node) ||
        ts.isTemplateMiddleOrTemplateTail(node)
      ) {
        literals.add(node.text);
        // Names of limits.
        literals.add(node.text.replaceAll('-', ' '));
      }
    });
  }
  return [...literals].filter((literal) => literal.length > 2);
}

/** Whether the code has the words: in one literal, or put together from several. */
function isWritten(words: string, literals: readonly string[]): boolean {
  return (
    words.length < 3 ||
    literals.some(
      (literal) =>
        literal.includes(words) ||
        (words.startsWith(literal) && isWritten(words.slice(literal.length), literals)),
    ) ||
    (/^[ >]/.test(words) && isWritten(words.slice(1), literals))
  );
}

function visit(node: ts.Node, meet: (node: ts.Node) => void): void {
  meet(node);
  ts.forEachChild(node, (child) => visit(child, meet));
}
