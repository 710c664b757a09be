import { execFile } from 'node:child_process';
import { mkdir, readFile, rm, symlink } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { temporaryFolder } from '../../test/support/temporary-folder.js';

const run = promisify(execFile);

/** The files of an earlier commit with packages; the service builds itself when it starts. */
export interface EarlierCheckout {
  readonly folder: string;
  /** Short hash and subject of the commit. */
  readonly title: string;
  remove(): Promise<void>;
}

/**
 * Checks out the commit for comparison: the last one of main, or its predecessor if it is the current one.
 *
 * @param wanted another commit
 * @returns undefined where git has no earlier commit, for instance in a shallow clone
 */
export async function layOutEarlierCheckout(
  wanted: string | undefined,
): Promise<EarlierCheckout | undefined> {
  const commit = wanted ?? ((await isAtMain()) ? 'HEAD^1' : 'main');
  const title = await git('log', '-1', '--format=%h %s', commit).catch(() => undefined);
  if (title === undefined) {
    return undefined;
  }
  const folder = path.join(await temporaryFolder('earlier'), 'checkout');
  await mkdir(folder);
  const archive = `${folder}.tar`;
  await git('archive', '--output', archive, commit);
  await run('tar', ['-xf', archive, '-C', folder]);
  await rm(archive);
  if (await hasSamePackages(folder)) {
    await symlink(path.resolve('node_modules'), path.join(folder, 'node_modules'));
  } else {
    await run('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], { cwd: folder });
  }
  return {
    folder,
    title,
    remove: () => rm(path.dirname(folder), { recursive: true, force: true }),
  };
}

/** True in a clone that has no branch of this name. */
async function isAtMain(): Promise<boolean> {
  const main = await git('rev-parse', '--verify', '--quiet', 'main').catch(() => undefined);
  return main === undefined || main === (await git('rev-parse', 'HEAD').catch(() => undefined));
}

async function hasSamePackages(folder: string): Promise<boolean> {
  const [mine, theirs] = await Promise.all(
    [process.cwd(), folder].map((one) => readFile(path.join(one, 'package-lock.json'), 'utf8')),
  );
  return mine === theirs;
}

async function git(...args: string[]): Promise<string> {
  const { stdout } = await run('git', args);
  return stdout.trim();
}
