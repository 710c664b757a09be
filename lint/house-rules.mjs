import path from 'node:path';
import { ROWS } from './rows.mjs';
import { onTable } from './table-owners.mjs';

/**
 * The import borders and the dialect of this repository, as rules for oxlint: see "The floor plan"
 * in CONTRIBUTING.md. `test/lint.spec.ts` makes each of them fire.
 */
export default {
  meta: { name: 'gatefold' },
  rules: {
    borders: { create: (context) => onImport(context, reportBorder) },
    'sql-files': { create: reportSqlElsewhere },
    'table-owners': { create: reportForeignTables },
    'hash-private': { create: reportPrivateKeyword },
    'few-dependencies': { create: reportManyDependencies },
    'typed-input': { create: reportOtherInput },
    'named-kinds': { create: reportUnnamedKind },
    'answers-once': { create: reportReturnType },
  },
};

const ROOMS = new Set(['news', 'app-api', 'platform']);
const MOST_DEPENDENCIES = 8;
/** Commands are watched for silent servers, too. */
const SCHEDULING = /^src\/(app\.module|database\/(regularly|silent-servers\/[\w-]+))\.ts$/;

const ROUTE = /^(?:Nest|Api|PutOr)?(?:Get|Post|Put|Patch|Delete|Options)$/;

/** Whether `to` lies in one of the folders directly below `root`; undefined outside of `root`. */
function folderBelow(root, file) {
  return file.startsWith(`${root}/`) ? file.slice(root.length + 1).split('/')[0] : undefined;
}

/** `folders.controller.ts` is a "controller"; a file without a second name part has no kind. */
function kindOf(file) {
  return /\.(controller|commands?|service|task|schedule|repository|sql|entity|input|wire|module|spec)\.(?:ts|js)$/.exec(
    file,
  )?.[1];
}

/**
 * What each kind of file may not import as a value. Types, such as those of rows, may be imported anywhere.
 */
const CLOSED_TO = {
  controller: ['repository', 'sql', 'entity', 'module'],
  command: ['controller', 'repository', 'sql', 'entity', 'wire', 'module'],
  commands: ['controller', 'repository', 'sql', 'entity', 'wire', 'module'],
  service: ['controller', 'commands', 'command', 'sql', 'entity', 'input', 'wire', 'module'],
  schedule: ['controller', 'commands', 'command', 'repository', 'sql', 'entity', 'input', 'wire'],
  task: ['controller', 'commands', 'command', 'sql', 'entity', 'input', 'module'],
  repository: ['controller', 'commands', 'command', 'service', 'task', 'input', 'wire', 'module'],
  sql: ['controller', 'commands', 'command', 'service', 'repository', 'input', 'wire', 'module'],
  entity: ['controller', 'service', 'repository', 'sql', 'input', 'wire', 'module'],
  input: ['controller', 'service', 'repository', 'sql', 'entity', 'module'],
  wire: ['controller', 'repository', 'sql', 'entity', 'module'],
};

/** @returns why the import is refused, or undefined */
function reportBorder(from, to, isType, packageName) {
  if (packageName !== undefined) {
    return closedPackage(from, packageName);
  }
  return rowBorder(from, to) ?? storeyBorder(from, to, isType);
}

function closedPackage(from, name) {
  if (name === 'axios' && from !== 'src/common/http/outgoing-http.ts' && !isTest(from)) {
    return 'Reach the network through common/http/outgoing-http, which checks every address.';
  }
  if (name === '@nestjs/schedule' && !isTest(from) && !SCHEDULING.test(from)) {
    return 'Regular work has @Regularly: it runs in no command, and is silent while the database is away.';
  }
  if (from.startsWith('src/news/feed-parser/') && /^@(nestjs|mikro-orm)\//.test(name)) {
    return 'feed-parser turns bytes into feeds; it knows neither Nest nor the database.';
  }
  return undefined;
}

/** The innermost folder of `ROWS` that holds both files, if they are of different subjects in it. */
function borderBetween(from, to) {
  const folder = commonFolders(from, to).find((name) => ROWS[name] !== undefined);
  if (folder === undefined) {
    return undefined;
  }
  const subject = subjectIn(folder, from);
  const target = subjectIn(folder, to);
  return subject === target ? undefined : { folder, subject, target };
}

function rowBorder(from, to) {
  if (isTest(from) || isTest(to)) {
    return undefined;
  }
  const border = borderBetween(from, to);
  if (border === undefined) {
    return undefined;
  }
  const { folder, subject, target } = border;
  // The lists of what the folder holds.
  if (subject === '.' && /\.(module|entities)\.ts$/.test(from)) {
    return undefined;
  }
  const row = rowOf(folder, subject);
  const targetRow = rowOf(folder, target);
  if (row === -1 || targetRow === -1) {
    return `lint/rows.mjs has no row for "${row === -1 ? subject : target}" of ${folder}.`;
  }
  if (targetRow <= row) {
    return `In ${folder}, "${subject}" is not above "${target}" (lint/rows.mjs): the lower one declares a port or an event, and the higher one registers.`;
  }
  // Of the platform, rooms above it import only modules; the rest through ports in common/ports.
  if (folder === 'src' && target === 'platform' && subject !== '.' && subject !== 'cli') {
    return isModule(from) && isModule(to)
      ? undefined
      : 'Rooms reach the platform through a port in common/ports; only modules import its modules.';
  }
  const inParser = from.startsWith('src/news/feed-parser/');
  if (
    inParser &&
    !/^src\/(news\/feed-parser\/|common\/(errors\/|is-object\.|limited-thread\.|memory-limit\.))/.test(
      to,
    )
  ) {
    return 'feed-parser turns bytes into feeds; of the rest it imports errors, isObject, threads with limits and the size of the memory.';
  }
  return undefined;
}

const isModule = (file) => file.endsWith('.module.ts');

/** Folders that hold both files, from the innermost. */
function commonFolders(a, b) {
  const parts = a.split('/').slice(0, -1);
  const all = parts.map((_, at) => parts.slice(0, at + 1).join('/'));
  return all.filter((folder) => b.startsWith(`${folder}/`)).reverse();
}

/** The subfolder of `folder` that holds the file; of its own files the name if it has a row, or `.`. */
function subjectIn(folder, file) {
  const [first, ...rest] = file.slice(folder.length + 1).split('/');
  return rest.length > 0 || rowOf(folder, first) !== -1 ? first : '.';
}

function rowOf(folder, subject) {
  return ROWS[folder].findIndex((row) => row.split(' ').includes(subject));
}

function storeyBorder(from, to, isType) {
  if (!from.startsWith('src/') || isTest(from) || isType) {
    return undefined;
  }
  const kind = kindOf(from);
  const target = kindOf(to);
  if (target === 'sql' && !['repository', 'sql'].includes(kind ?? '')) {
    return 'Only the repository of a subject runs its SQL; call a method of the repository.';
  }
  if (!CLOSED_TO[kind ?? '']?.includes(target)) {
    return undefined;
  }
  return `This is a ${kind}, which does not import ${target} files: controllers → services → repositories → SQL.`;
}

function isTest(file) {
  return !/^(src|web\/src)\//.test(file) || file.endsWith('.spec.ts');
}

function onImport(context, explain) {
  const from = relativePath(context, context.filename);
  const check = (node) => {
    const specifier = node.source?.value;
    if (typeof specifier !== 'string') {
      return;
    }
    const isRelative = specifier.startsWith('.');
    const to = isRelative
      ? relativePath(context, path.resolve(path.dirname(context.filename), specifier))
      : '';
    const isType = (node.importKind ?? node.exportKind) === 'type';
    const packageName = isRelative ? undefined : specifier;
    const message = explain(from, to.replace(/\.js$/, '.ts'), isType, packageName);
    if (message !== undefined) {
      context.report({ node, message });
    }
  };
  return {
    ImportDeclaration: check,
    ExportNamedDeclaration: check,
    ExportAllDeclaration: check,
    ImportExpression: check,
  };
}

/** Hand-written SQL lies in the repository that runs it, or in `*.sql.ts` if two use it. */
function reportSqlElsewhere(context) {
  const file = relativePath(context, context.filename);
  const room = folderBelow('src', file);
  const holdsSql = ['repository', 'sql'].includes(kindOf(file) ?? '');
  if (!ROOMS.has(room ?? '') || isTest(file) || holdsSql) {
    return {};
  }
  return {
    CallExpression(node) {
      const { callee } = node;
      const isQuery =
        callee.type === 'MemberExpression' && ['query', 'execute'].includes(callee.property.name);
      const [first] = node.arguments;
      const isText = ['TemplateLiteral', 'Literal'].includes(first?.type);
      if (isQuery && isText) {
        context.report({
          node,
          message: 'Hand-written SQL belongs in a repository or a *.sql.ts file.',
        });
      }
    },
  };
}

/** SQL names tables of its own subject, or of a lower row. */
function reportForeignTables(context) {
  const file = relativePath(context, context.filename);
  // The database's own functions and migrations are of all rooms.
  const isOfAll = /^src\/database\/(?:migrations|functions)\//.test(file);
  if (!file.startsWith('src/') || isOfAll || isTest(file)) {
    return {};
  }
  return onTable(
    context,
    ['repository', 'sql'].includes(kindOf(file) ?? ''),
    (node, table, owner) => {
      const border = borderBetween(file, owner);
      if (border === undefined) {
        return;
      }
      const { folder, subject, target } = border;
      if (rowOf(folder, target) <= rowOf(folder, subject)) {
        const message = `Table ${table} is owned by "${target}", and in ${folder} "${subject}" is not above it (lint/rows.mjs): the owner offers a method, or the higher one registers a fragment.`;
        context.report({ node, message });
      }
    },
  );
}

/** The file name of an injectable class tells its kind, by which the borders know it. */
function reportUnnamedKind(context) {
  const file = relativePath(context, context.filename);
  if (!ROOMS.has(folderBelow('src', file) ?? '') || isTest(file)) {
    return {};
  }
  const name = path.basename(file, '.ts');
  const check = (node) => {
    if (!node.decorators?.some(isInjectable)) {
      return;
    }
    if (kindOf(file) === 'repository' && !node.id.name.endsWith('Repository')) {
      context.report({ node, message: 'The class of a *.repository.ts file ends in Repository.' });
    }
    if (!name.includes('.')) {
      const message = `Name the kind of this class in its file name: ${name}.service.ts, .task.ts, .guard.ts …`;
      context.report({ node, message });
    }
  };
  return { ClassDeclaration: check };
}

const isInjectable = ({ expression }) => expression.callee?.name === 'Injectable';

function reportPrivateKeyword(context) {
  const check = (node) => {
    if (node.accessibility === 'private' && node.kind !== 'constructor') {
      context.report({ node, message: 'Write #name instead of private name.' });
    }
  };
  return { MethodDefinition: check, PropertyDefinition: check };
}

/** A class that needs more than this is two or three subjects. */
function reportManyDependencies(context) {
  const file = relativePath(context, context.filename);
  if (!file.startsWith('src/') || isTest(file)) {
    return {};
  }
  return {
    MethodDefinition(node) {
      const count = node.kind === 'constructor' ? (node.value.params?.length ?? 0) : 0;
      if (count > MOST_DEPENDENCIES) {
        const message = `${count} dependencies: this is more than one subject; split it.`;
        context.report({ node, message });
      }
    },
  };
}

/** `@Input(X)` parses by `X`, so its parameter is `In<typeof X>`. */
function reportOtherInput(context) {
  return {
    Decorator({ expression, parent }) {
      const [schema] = expression.arguments ?? [];
      const type = parent.typeAnnotation?.typeAnnotation;
      const [argument] = type?.typeName?.name === 'In' ? type.typeArguments.params : [];
      const typeName = argument?.exprName?.name;
      const isInput = /^(?:Form|Gateway)?Input$/.test(expression.callee?.name ?? '');
      if (isInput && typeName !== undefined && typeName !== schema?.name) {
        const message = `This parses by ${schema?.name}, but has the type of ${typeName}.`;
        context.report({ node: parent, message });
      }
    },
  };
}

/** The decorator of a route declares its answer, and the compiler compares what the handler returns. */
function reportReturnType(context) {
  if (isTest(relativePath(context, context.filename))) {
    return {};
  }
  return {
    MethodDefinition({ decorators, value: { returnType } }) {
      const isRoute = decorators.some(({ expression }) =>
        ROUTE.test(expression.callee?.name ?? ''),
      );
      const type = returnType && context.sourceCode.getText(returnType.typeAnnotation);
      if (isRoute && type && !['void', 'Promise<void>'].includes(type)) {
        const message =
          'The decorator says what this answers; name no type but void, if it answers nothing or writes to the response.';
        context.report({ node: returnType, message });
      }
    },
  };
}

function relativePath(context, file) {
  return path.relative(context.cwd, file).split(path.sep).join('/');
}
