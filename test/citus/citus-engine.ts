import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, globSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** The version that the archive of the extension is built for; older minor versions cannot load it. */
const MAJOR = '15';
const OLDEST_MINOR = 20;
const PROGRAMS = `/usr/lib/postgresql/${MAJOR}`;
const SHARED = `/usr/share/postgresql/${MAJOR}`;
const BESIDE_THE_PROJECT = fileURLToPath(new URL('../../../shared/engines', import.meta.url));

/**
 * Makes a private copy of Debian's PostgreSQL with the Citus extension in it. PostgreSQL finds its
 * files relative to the program, so nothing of the system is changed.
 *
 * `CITUS_ENGINE` names a folder with the archive `citus-*-postgresql-15-*.tar.gz`; otherwise it is
 * looked for in `../shared/engines` beside the project, and among the files of the server.
 * `CITUS_SERVER` names a folder into which Debian's package was unpacked, instead of `/`.
 *
 * @param folder of the copy, about 50 MB
 * @returns the folder of the programs; or a sentence that says what is missing
 */
export function prepareCitusEngine(
  folder: string,
): { readonly programs: string } | { readonly missing: string } {
  const root = process.env['CITUS_SERVER'] ?? '/';
  const server = path.join(root, PROGRAMS);
  if (!existsSync(`${server}/bin/postgres`)) {
    return {
      missing: `There is no PostgreSQL ${MAJOR} in ${server} (Debian: postgresql-${MAJOR}).`,
    };
  }
  const engines = process.env['CITUS_ENGINE'] ?? BESIDE_THE_PROJECT;
  const [archive] = globSync(path.join(engines, `citus-*-postgresql-${MAJOR}-*.tar.gz`));
  const hasCitus = existsSync(`${server}/lib/citus.so`);
  if (archive === undefined && !hasCitus) {
    return {
      missing:
        `There is no citus-*-postgresql-${MAJOR}-*.tar.gz in ${engines}, and no Citus in ${server}: ` +
        'name the folder of the archive in CITUS_ENGINE, or install the extension.',
    };
  }
  const version = execFileSync(`${server}/bin/postgres`, ['--version'], { encoding: 'utf8' });
  if (!hasCitus && Number(/ 15\.(\d+)/.exec(version)?.[1] ?? 0) < OLDEST_MINOR) {
    return {
      missing:
        `The archive of Citus needs PostgreSQL ${MAJOR}.${OLDEST_MINOR} or later, but ${server} is ` +
        `"${version.trim()}": upgrade it, or name a folder with a later one in CITUS_SERVER.`,
    };
  }
  mkdirSync(folder, { recursive: true });
  for (const files of [PROGRAMS, SHARED]) {
    cpSync(path.join(root, files), path.join(folder, files), {
      recursive: true,
      dereference: true,
    });
  }
  if (archive !== undefined && !hasCitus) {
    execFileSync('tar', ['-xzf', archive, '--no-same-owner', '--no-overwrite-dir', '-C', folder]);
  }
  return { programs: path.join(folder, PROGRAMS, 'bin') };
}
