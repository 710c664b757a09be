import { execFile } from 'node:child_process';
import { access, mkdir, readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);

const CACHE = fileURLToPath(new URL('../../../node_modules/.cache/peers/', import.meta.url));
const KEYRING = '/usr/share/keyrings/debian-archive-keyring.gpg';

/**
 * Unpacks a package of Debian's unstable into a folder of the cache. Nothing is installed, and the lists of
 * the system's apt are unchanged.
 *
 * @returns the folder with its files, `usr/bin` and so on
 * @throws Error when apt-get or the archive cannot be reached
 */
export async function unpackDebianPackage(name: string): Promise<string> {
  const folder = path.join(CACHE, name);
  const files = path.join(folder, 'files');
  if (await exists(files)) {
    return files;
  }
  await mkdir(path.join(folder, 'state/lists/partial'), { recursive: true });
  await mkdir(path.join(folder, 'cache/archives/partial'), { recursive: true });
  const sources = path.join(folder, 'sources.list');
  await writeFile(
    sources,
    `deb [signed-by=${KEYRING}] ${await archiveOfMachine()} unstable main\n`,
  );
  const options = [
    `Dir::State=${folder}/state`,
    `Dir::Cache=${folder}/cache`,
    `Dir::Etc::sourcelist=${sources}`,
    'Dir::Etc::sourceparts=-',
    'APT::Sandbox::User=root',
  ].flatMap((option) => ['-o', option]);
  await run('apt-get', [...options, '-qq', 'update'], { cwd: folder });
  await run('apt-get', [...options, '-qq', 'download', name], { cwd: folder });
  const archive = (await readdir(folder)).find((file) => file.endsWith('.deb'));
  if (archive === undefined) {
    throw new Error(`apt-get downloaded no package ${name}.`);
  }
  await run('dpkg-deb', ['-x', path.join(folder, archive), files]);
  return files;
}

/** Where this machine gets its own packages from. */
async function archiveOfMachine(): Promise<string> {
  const filters = ['Created-By: Packages', 'Label: Debian'];
  const { stdout } = await run('apt-get', ['indextargets', '--format', '$(REPO_URI)', ...filters]);
  const [archive = ''] = stdout.split('\n');
  if (archive === '') {
    throw new Error('apt knows no archive of Debian; see "apt-get indextargets".');
  }
  return archive;
}

async function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}
