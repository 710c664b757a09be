import { readFileSync, statSync } from 'node:fs';

type Environment = Readonly<Record<string, string | undefined>>;

const LARGEST_FILE_BYTES = 65_536;

/**
 * Replaces variables such as `DATABASE_URL_FILE` by the setting without `_FILE`, with the content of
 * the named file without its last line break. Container platforms mount secrets as files.
 *
 * @param secrets names of the settings that may come from a file
 * @returns the environment, and one sentence per file that cannot be used, without its content
 */
export function withSecretFiles(
  env: Environment,
  secrets: readonly string[],
): { env: Environment; faults: string[] } {
  const settings = { ...env };
  const faults: string[] = [];
  for (const name of secrets) {
    const variable = `${name}_FILE`;
    const file = env[variable];
    delete settings[variable];
    if (!file) {
      continue;
    }
    if (env[name]) {
      faults.push(`${name} and ${variable} are both set; set one of them.`);
      continue;
    }
    const { content, fault } = readSecret(file);
    settings[name] = content;
    if (fault !== undefined) {
      faults.push(`${variable} names the file "${file}", which ${fault}.`);
    }
  }
  return { env: settings, faults };
}

function readSecret(file: string): { content?: string; fault?: string } {
  try {
    const { size } = statSync(file);
    if (size > LARGEST_FILE_BYTES) {
      return { fault: `has more than ${LARGEST_FILE_BYTES} bytes` };
    }
    const content = readFileSync(file, 'utf8').replace(/\r?\n$/, '');
    return content === '' ? { fault: 'is empty' } : { content };
  } catch (error) {
    return { fault: `cannot be read (${(error as NodeJS.ErrnoException).code})` };
  }
}
