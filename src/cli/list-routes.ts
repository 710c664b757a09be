import { RequestMethod, type Type } from '@nestjs/common';
import { GUARDS_METADATA, METHOD_METADATA, PATH_METADATA } from '@nestjs/common/constants.js';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { PART_NAMES, type PartName } from '../common/config/parts.js';
import { inPackage } from '../common/package-root.js';
import { modulesIn } from '../common/subjects/subject.js';
import { modulesOf } from '../parts.js';
import { PlatformModule } from '../platform/platform.module.js';

/** A handler with the addresses that lead to it. */
export interface ListedRoute {
  /** In upper case; `ALL` for any. */
  readonly method: string;
  /** Up to four addresses as one, for instance `/{ocs/v1.php,ocs/v2.php}/cloud/users`; of more the first. */
  readonly path: string;
  readonly addresses: readonly string[];
  /** Class names, in the order in which they run; empty without any. */
  readonly guards: readonly string[];
  /** `always` if no part can leave it out. */
  readonly part: PartName | 'always';
  /** Source file of the controller, relative to the root of the repository. */
  readonly file: string;
  /** `Controller.method` */
  readonly handler: string;
}

/** Every route of a service with these parts, sorted by path. Needs no database. */
export async function listRoutes(parts: ReadonlySet<PartName>): Promise<ListedRoute[]> {
  const files = controllerFiles();
  const seen = new Set<object>();
  const routes: ListedRoute[] = [];
  const add = (part: ListedRoute['part'], modules: readonly Type[]) => {
    for (const module of modulesIn(modules).filter((one) => !seen.has(one))) {
      seen.add(module);
      const controllers = (Reflect.getMetadata('controllers', module) ?? []) as Type[];
      routes.push(...controllers.flatMap((one) => routesOf(one, part, files)));
    }
  };
  add('always', [PlatformModule]);
  for (const part of PART_NAMES.filter((name) => parts.has(name))) {
    add(part, await modulesOf(new Set([part])));
  }
  const key = ({ addresses, method }: ListedRoute) => `${addresses.at(-1)} ${method}`;
  return routes.toSorted((a, b) => (key(a) < key(b) ? -1 : 1));
}

function routesOf(
  controller: Type,
  part: ListedRoute['part'],
  files: ReadonlyMap<string, string>,
): ListedRoute[] {
  const roots = pathsOf(controller);
  const prototype = controller.prototype as Record<string, object>;
  const handlers = Object.getOwnPropertyNames(prototype).filter((name) =>
    Reflect.hasMetadata(METHOD_METADATA, prototype[name] ?? {}),
  );
  return handlers.map((name) => {
    const handler = prototype[name] ?? {};
    const ends = pathsOf(handler);
    const addresses = roots.flatMap((root) => ends.map((end) => path.posix.join('/', root, end)));
    return {
      method: RequestMethod[Reflect.getMetadata(METHOD_METADATA, handler) as RequestMethod],
      path: joined(addresses),
      addresses,
      guards: [controller, handler].flatMap((target) =>
        ((Reflect.getMetadata(GUARDS_METADATA, target) ?? []) as Type[]).map((guard) => guard.name),
      ),
      part,
      file: fileOf(controller, handlers, files),
      handler: `${controller.name}.${name}`,
    };
  });
}

function pathsOf(target: object): string[] {
  return [Reflect.getMetadata(PATH_METADATA, target) as string | string[]].flat();
}

/** `['/a/x', '/b/x']` is `/{a,b}/x`. */
function joined(paths: readonly string[]): string {
  const [first = '', ...others] = paths.map((one) => one.replace(/(.)\/$/, '$1'));
  if (others.length === 0 || others.length > 3) {
    return others.length === 0 ? first : `${first} (and ${others.length} more)`;
  }
  const all = [first, ...others].map((one) => one.split('/'));
  const same = (at: number) => all.every((parts) => parts.at(at) === all[0]?.at(at));
  const shortest = Math.min(...all.map((parts) => parts.length));
  let begin = 0;
  while (begin < shortest - 1 && same(begin)) {
    begin += 1;
  }
  let end = 0;
  while (end < shortest - begin && same(-1 - end)) {
    end += 1;
  }
  const middles = all.map((parts) => parts.slice(begin, parts.length - end).join('/'));
  const [start = []] = all;
  return [
    ...start.slice(0, begin),
    `{${middles.join(',')}}`,
    ...start.slice(start.length - end),
  ].join('/');
}

/** Text of each file of controllers, by its path. */
function controllerFiles(): ReadonlyMap<string, string> {
  const [root, ending] = import.meta.url.endsWith('.ts') ? ['', 'ts'] : ['dist', 'js'];
  const found = globSync(`src/**/*.controller*.${ending}`, { cwd: inPackage(root) });
  return new Map(
    found
      .filter((file) => !/\.d\.ts$|\.map$/.test(file))
      .map((file) => [file, readFileSync(path.join(inPackage(root), file), 'utf8')]),
  );
}

/** Rooms may have controllers of the same name; controllers that a function creates have no source file. */
function fileOf(
  controller: Type,
  handlers: readonly string[],
  files: ReadonlyMap<string, string>,
): string {
  const named = (text: string) => text.includes(`class ${controller.name} `);
  const has = (text: string) => handlers.every((name) => text.includes(` ${name}(`));
  const all = [...files].filter(([, text]) => has(text));
  const [file = '–'] =
    all.find(([, text]) => named(text)) ??
    all.find(([, text]) => / class \w* ?\{/.test(text)) ??
    [];
  return file.replace(/\.js$/, '.ts');
}
